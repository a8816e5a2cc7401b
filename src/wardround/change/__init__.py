"""What is under review: two trees and the hunks between them."""
