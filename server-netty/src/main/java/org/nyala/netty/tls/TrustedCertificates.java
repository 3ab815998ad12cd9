package org.nyala.netty.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The certificates that a client trusts, in a file of PEM.
 *
 * <p>Stateless.
 */
public final class TrustedCertificates {
  private TrustedCertificates() {}

  /**
   * Returns a context for clients that trusts the certificates in a file and no others.
   *
   * @throws IOException if the file cannot be read, or has no certificates; the message names it
   */
  public static SSLContext context(Path file) throws IOException {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (PemBlock block : PemBlock.read(Files.readString(file, StandardCharsets.ISO_8859_1))) {
        if (block.label().equals("CERTIFICATE")) {
          store.setCertificateEntry(
              "trusted" + store.size(),
              factory.generateCertificate(new ByteArrayInputStream(block.content())));
        }
      }
      if (store.size() == 0) {
        throw new TlsFileException(file + ": there is no certificate in PEM in it");
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new TlsFileException(file + ": not a certificate: " + e.getMessage(), e);
    }
  }
}
