package org.nyala.netty.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The certificates that a client trusts, in a file of PEM, and those that it has.
 *
 * <p>Stateless.
 */
public final class TrustedCertificates {
  private static final char[] NO_PASSWORD = {};

  private TrustedCertificates() {}

  /**
   * Returns a context for clients that trusts the certificates in a file and no others.
   *
   * @throws IOException if the file cannot be read, or has no certificates; the message names it
   */
  public static SSLContext context(Path file) throws IOException {
    return context(file, null);
  }

  /**
   * Returns a context for clients.
   *
   * @param trusted PEM with the certificates that are trusted and no others; null for those that
   *     the Java runtime trusts
   * @param own the files of the client's own certificate; null for none
   * @throws IOException if a file cannot be read, or has no certificates; the message names it
   */
  public static SSLContext context(@Nullable Path trusted, TlsSettings.@Nullable Files own)
      throws IOException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(own == null ? null : keys(own), trusted == null ? null : trust(trusted), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new TlsFileException("TLS cannot be used: " + e.getMessage(), e);
    }
  }

  private static TrustManager[] trust(Path file) throws IOException {
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
      return managers.getTrustManagers();
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new TlsFileException(file + ": not a certificate: " + e.getMessage(), e);
    }
  }

  private static KeyManager[] keys(TlsSettings.Files files)
      throws IOException, GeneralSecurityException {
    TlsCertificate certificate = TlsCertificate.read(files);
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry(
        "own", certificate.key(), NO_PASSWORD, certificate.chain().toArray(new Certificate[0]));
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, NO_PASSWORD);
    return managers.getKeyManagers();
  }
}
