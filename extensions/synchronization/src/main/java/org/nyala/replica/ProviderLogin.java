package org.nyala.replica;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.error.PasswordFile;

/**
 * The identity by which a server binds to another one.
 *
 * <p>Immutable.
 *
 * @param mechanism one of {@link #MECHANISMS}
 * @param dn the name of an entry, for simple binds; null for none
 * @param user the user, or with GSSAPI the principal; null for none
 * @param realm the realm of DIGEST-MD5 and GSSAPI; null for the default
 * @param password the password; null for none
 * @param passwordFile the file with the password in its first line, read for each connection; null
 *     for none
 * @param keytab the file with the keys of the principal; null for none
 */
public record ProviderLogin(
    String mechanism,
    @Nullable String dn,
    @Nullable String user,
    @Nullable String realm,
    @Nullable String password,
    @Nullable Path passwordFile,
    @Nullable Path keytab) {
  public static final String ANONYMOUS = "anonymous";
  public static final String SIMPLE = "simple";
  public static final String PLAIN = "PLAIN";
  public static final String EXTERNAL = "EXTERNAL";
  public static final String GSSAPI = "GSSAPI";
  public static final String DIGEST_MD5 = "DIGEST-MD5";
  public static final String CRAM_MD5 = "CRAM-MD5";
  public static final String SCRAM_SHA_1 = "SCRAM-SHA-1";
  public static final String SCRAM_SHA_256 = "SCRAM-SHA-256";
  public static final String SCRAM_SHA_512 = "SCRAM-SHA-512";

  /** The ways to bind. */
  public static final List<String> MECHANISMS =
      List.of(
          SIMPLE,
          EXTERNAL,
          SCRAM_SHA_512,
          SCRAM_SHA_256,
          SCRAM_SHA_1,
          PLAIN,
          GSSAPI,
          DIGEST_MD5,
          CRAM_MD5,
          ANONYMOUS);

  /** The identity of nobody. */
  public static final ProviderLogin NOBODY =
      new ProviderLogin(ANONYMOUS, null, null, null, null, null, null);

  /** Returns the name and the password of an entry. */
  public static ProviderLogin simple(String dn, String password) {
    return new ProviderLogin(SIMPLE, dn, null, null, password, null, null);
  }

  /** Returns what a bind lacks; null if it has all that it takes. */
  public @Nullable String lack() {
    boolean hasPassword = password != null || passwordFile != null;
    return switch (mechanism) {
      case SIMPLE -> dn == null ? "dn" : hasPassword ? null : "passwordFile";
      case GSSAPI -> user == null ? "user" : keytab == null ? "keytab" : null;
      case EXTERNAL, ANONYMOUS -> null;
      default -> user == null ? "user" : hasPassword ? null : "passwordFile";
    };
  }

  /**
   * Returns the password of the moment; empty if there is none.
   *
   * @throws IOException if its file cannot be read
   */
  String currentPassword() throws IOException {
    Path file = passwordFile;
    if (file != null) {
      return PasswordFile.read(file);
    }
    return password == null ? "" : password;
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return mechanism + (dn == null ? "" : " " + dn) + (user == null ? "" : " " + user);
  }
}
