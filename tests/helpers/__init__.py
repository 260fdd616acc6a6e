"""What several test modules share: small KBs, commands, files. No test module imports another."""
