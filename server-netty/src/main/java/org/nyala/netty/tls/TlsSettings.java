package org.nyala.netty.tls;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

/**
 * The settings of TLS. Each component is a configuration key.
 *
 * <p>Immutable.
 *
 * @param engine the implementation
 * @param certificates the certificates to choose from; none if there is no TLS
 * @param handshakeMillis the time for a handshake, after which the connection ends
 * @param checkSeconds the interval at which changed files are looked for
 * @param clients the demand for certificates of clients
 */
public record TlsSettings(
    @Key Engine engine,
    List<Files> certificates,
    @Key(name = "handshakeTimeoutSeconds", usual = 10, from = 1, to = 86_400, unit = 1000)
        long handshakeMillis,
    @Key(name = "checkIntervalSeconds", usual = 10, from = 1, to = 86_400) int checkSeconds,
    ClientCertificates clients) {
  /** The settings of a server without TLS. */
  public static final TlsSettings NONE =
      read(new Keys.Source() {}, List.of(), ClientCertificates.NONE);

  /** Reads the settings from their section. */
  public static TlsSettings read(
      Keys.Source section, List<Files> certificates, ClientCertificates clients) {
    return Keys.read(
        TlsSettings.class, section, Map.of("certificates", certificates, "clients", clients));
  }

  /** The implementations of TLS. */
  public enum Engine {
    /**
     * BoringSSL if it can be loaded and all keys are ECDSA, or clients are asked for certificates
     * and no key is of Ed25519; otherwise the JDK's.
     */
    AUTO,
    /** BoringSSL, which takes less processor time for handshakes, but makes them on event loops. */
    BORINGSSL,
    /** The JDK's. */
    JDK
  }

  /**
   * The files of a certificate and its key.
   *
   * @param certificate PEM with the certificate and its intermediate ones, or PKCS#12 with the key
   *     as well
   * @param key PEM with the private key; null if it is in the file of the certificate
   * @param password the password of the key or of the PKCS#12 file; null for none
   */
  public record Files(Path certificate, @Nullable Path key, @Nullable String password) {
    /** Names the files, not the password. */
    @Override
    public String toString() {
      return key == null ? certificate.toString() : certificate + " and " + key;
    }
  }

  public TlsSettings {
    certificates = List.copyOf(certificates);
  }
}
