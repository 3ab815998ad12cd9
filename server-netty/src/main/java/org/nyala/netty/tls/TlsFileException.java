package org.nyala.netty.tls;

import java.io.IOException;

/** A file of certificates or keys that cannot be used; the message names it and says why. */
public final class TlsFileException extends IOException {
  private static final long serialVersionUID = 1;

  TlsFileException(String message, Throwable cause) {
    super(message, cause);
  }

  TlsFileException(String message) {
    super(message);
  }
}
