"""The change under review: two trees and the hunks between them."""
