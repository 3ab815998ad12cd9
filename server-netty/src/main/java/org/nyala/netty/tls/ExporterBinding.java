package org.nyala.netty.tls;

import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/**
 * The data that bind an exchange of SASL to one TLS connection (RFC 9266, {@code tls-exporter}):
 * with TLS 1.3 alone, where they are different for each connection, and with engines that export
 * keying material, which BoringSSL's does not.
 *
 * <p>Stateless.
 */
final class ExporterBinding {
  private static final String LABEL = "EXPORTER-Channel-Binding";
  private static final int LENGTH = 32;
  private static final byte[] NONE = {};

  private ExporterBinding() {}

  /** Returns the data of a connection after its handshake; empty if there are none. */
  static byte[] of(SSLSession session) {
    if (!(session instanceof ExtendedSSLSession exporting)
        || !session.getProtocol().equals("TLSv1.3")) {
      return NONE;
    }
    try {
      return exporting.exportKeyingMaterialData(LABEL, NONE, LENGTH);
    } catch (SSLException | UnsupportedOperationException _) {
      return NONE;
    }
  }
}
