package org.nyala.netty.tls;

import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/** The reasons of failed handshakes in words. Stateless. */
public final class HandshakeReasons {
  private static final int MOST_CHARACTERS = 200;
  private static final int MOST_CAUSES = 8;

  private HandshakeReasons() {}

  /** Returns the refusal of a certificate behind a failure; null if it has another reason. */
  static @Nullable RefusedCertificateException refusal(Throwable cause) {
    Throwable each = cause;
    for (int depth = 0; each != null && depth < MOST_CAUSES; depth++) {
      if (each instanceof RefusedCertificateException refusal) {
        return refusal;
      }
      each = each.getCause();
    }
    return null;
  }

  /**
   * Returns a reason without anything that the client has sent, since that may be a password; but
   * with the names in its certificate.
   */
  public static String of(Throwable cause) {
    RefusedCertificateException refusal = refusal(cause);
    if (refusal != null) {
      return String.valueOf(refusal.getMessage());
    }
    if (cause instanceof NotSslRecordException) {
      return "the client does not speak TLS";
    }
    if (cause instanceof ClosedChannelException) {
      return "the client has ended the connection";
    }
    String message = String.valueOf(cause.getMessage()).replaceAll("\\p{Cntrl}", " ");
    return message.substring(0, Math.min(message.length(), MOST_CHARACTERS));
  }
}
