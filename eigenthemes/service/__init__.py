"""The service: KBs over HTTP. Extra [serve]; nothing outside this room knows fastapi."""
