package org.nyala.loadtest.options;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.sasl.Mechanism;
import org.nyala.loadtest.sasl.SaslLogin;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.Security;
import picocli.CommandLine.Option;

/** The options of the identity that connections are bound to. Set by picocli, then only read. */
public final class BindOptions {
  @Option(
      names = "--bind-dn",
      paramLabel = "DN",
      description = "identity of connections that search or write; none: anonymous")
  private String bindDn = "";

  @Option(
      names = "--password",
      description = "its password, which other users of the machine can see: see --password-file")
  private @Nullable String password;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "a file with its password in the first line")
  private @Nullable Path passwordFile;

  @Option(
      names = "--mechanism",
      paramLabel = "NAME",
      description =
          "bind it by SASL: EXTERNAL (takes --certificate), PLAIN, SCRAM-SHA-256, SCRAM-SHA-512;"
              + " over TLS also SCRAM-SHA-256-PLUS, SCRAM-SHA-512-PLUS")
  private @Nullable String mechanism;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description =
          "with --mechanism: its name (authcid), as the server knows it, instead of --bind-dn")
  private String user = "";

  @Option(
      names = "--authzid",
      paramLabel = "ID",
      description = "with --mechanism: the identity to act as, u:NAME or dn:DN; none: its own")
  private String authzid = "";

  @Option(
      names = "--allow-clear-text",
      description = "send passwords by PLAIN over connections that are not encrypted, too")
  private boolean allowsClearText;

  /**
   * Returns the identity of connections.
   *
   * @param hasCertificate true if a certificate is shown to the server
   * @throws IllegalArgumentException if the options contradict each other, or the encryption of the
   *     connections
   * @throws IOException if the file of the password cannot be read
   */
  public Account account(Security security, boolean hasCertificate) throws IOException {
    require(
        password == null || passwordFile == null,
        "--password cannot be combined with --password-file");
    String secret = secret();
    if (mechanism == null) {
      require(user.isEmpty() && authzid.isEmpty(), "--user and --authzid take --mechanism");
      return new Account(bindDn, secret);
    }
    Mechanism by = mechanism("--mechanism", mechanism, security);
    require(bindDn.isEmpty(), "--bind-dn cannot be combined with --mechanism, which takes --user");
    if (by == Mechanism.EXTERNAL) {
      require(
          user.isEmpty() && secret.isEmpty(), "--mechanism EXTERNAL: no --user and no password");
      require(hasCertificate, "--mechanism EXTERNAL takes --certificate");
    } else {
      require(
          !user.isEmpty() && !secret.isEmpty(),
          "--mechanism " + by.label() + " takes --user and --password-file (or --password)");
    }
    return new Account("", secret, new SaslLogin(by, user, authzid));
  }

  /**
   * Returns a mechanism that goes with the encryption.
   *
   * @param option the option that names it
   * @param label its name
   * @throws IllegalArgumentException if there is none of the name, or it demands encryption
   */
  public Mechanism mechanism(String option, String label, Security security) {
    Mechanism by;
    try {
      by = Mechanism.of(label);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
    }
    boolean isEncrypted = security.kind() != Security.Kind.NONE;
    require(
        isEncrypted || !by.isBound(), option + " " + by.label() + " needs ldaps:// or --start-tls");
    require(
        isEncrypted || by != Mechanism.PLAIN || allowsClearText,
        option
            + " PLAIN would send passwords in clear text: use ldaps:// or --start-tls, or allow it"
            + " with --allow-clear-text");
    return by;
  }

  private String secret() throws IOException {
    return passwordFile != null
        ? PasswordFile.read(passwordFile)
        : password == null ? "" : password;
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
