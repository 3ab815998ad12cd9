package org.nyala.loadtest.options;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.workload.Security;
import org.nyala.loadtest.workload.ServerUrl;
import picocli.CommandLine.Option;

/** The options of the encryption of connections. Set by picocli, then only read. */
public final class TlsOptions {
  @Option(names = "--start-tls", description = "encrypt by StartTLS; ldaps:// does from the start")
  private boolean startTls;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "certificates (PEM) to trust instead of those of the Java runtime")
  private @Nullable Path certificates;

  @Option(names = "--trust-all", description = "trust any certificate: for tests only")
  private boolean trustsAll;

  @Option(
      names = "--certificate",
      paramLabel = "FILE",
      description = "a certificate (PEM) to show to servers that ask for one, over TLS")
  private @Nullable Path ownCertificate;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "its private key (PEM, PKCS#8); the file of --certificate unless given")
  private @Nullable Path ownKey;

  /**
   * Returns the encryption of connections to a URL.
   *
   * @throws IllegalArgumentException if the options contradict each other or the URL, or a file has
   *     no certificate or no key
   * @throws IOException if TLS cannot be set up
   */
  public Security security(String url) throws IOException {
    boolean isLdaps = ServerUrl.isEncrypted(url);
    if (isLdaps && startTls) {
      throw new IllegalArgumentException(
          "--start-tls needs ldap://, as ldaps:// encrypts from the start: " + url);
    }
    if (ownKey != null && ownCertificate == null) {
      throw new IllegalArgumentException("--key: takes --certificate");
    }
    if (!isLdaps && !startTls) {
      if (ownCertificate != null) {
        throw new IllegalArgumentException("--certificate needs ldaps:// or --start-tls");
      }
      return Security.NONE;
    }
    Security.Kind kind = isLdaps ? Security.Kind.FROM_THE_START : Security.Kind.START_TLS;
    return Security.tls(kind, certificates, trustsAll, ownCertificate());
  }

  /** Returns whether a certificate is shown to the server. */
  public boolean hasCertificate() {
    return ownCertificate != null;
  }

  private Security.@Nullable ClientCertificate ownCertificate() {
    return ownCertificate == null
        ? null
        : new Security.ClientCertificate(ownCertificate, ownKey == null ? ownCertificate : ownKey);
  }
}
