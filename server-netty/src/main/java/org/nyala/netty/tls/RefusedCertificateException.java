package org.nyala.netty.tls;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * A client's certificate that is refused. The message names it and says why, in at most {@value
 * #MOST_CHARACTERS} characters for each, without any that could drive a terminal.
 */
final class RefusedCertificateException extends CertificateException {
  private static final long serialVersionUID = 1;
  private static final int MOST_CHARACTERS = 200;

  private RefusedCertificateException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /**
   * Creates one.
   *
   * @param chain the client's certificate, then those that vouch for it
   * @param index the place of the one that is at fault, 0 for the client's own
   * @param fault the fault, as a predicate: {@code has expired}
   */
  static RefusedCertificateException of(
      List<X509Certificate> chain, int index, String fault, @Nullable Throwable cause) {
    String own = name(chain.getFirst().getSubjectX500Principal());
    String at =
        index <= 0
            ? "it"
            : "that of its authority " + name(chain.get(index).getSubjectX500Principal());
    return new RefusedCertificateException(
        "the certificate of "
            + own
            + " is refused: "
            + at
            + " "
            + CertificateText.escaped(fault, MOST_CHARACTERS),
        cause);
  }

  /** Creates one for a chain of which nothing may be read. */
  static RefusedCertificateException unread(String fault, @Nullable Throwable cause) {
    return new RefusedCertificateException(
        "the certificate of a client is refused: "
            + CertificateText.escaped(fault, MOST_CHARACTERS),
        cause);
  }

  /** Returns a name as messages have it: in quotes, which it cannot end itself. */
  static String name(X500Principal name) {
    String plain = name.getName().replace("\\", "\\\\").replace("\"", "\\\"");
    return '"' + CertificateText.escaped(plain, MOST_CHARACTERS) + '"';
  }
}
