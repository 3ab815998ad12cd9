package org.nyala.core.sasl;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import javax.security.auth.login.LoginException;
import org.jspecify.annotations.Nullable;

/**
 * The properties of the process that the JDK's Kerberos takes its configuration from: it has no
 * other place for them, so that servers in one process share them.
 *
 * <p>Thread-safe.
 */
public final class KerberosProperties {
  /**
   * A key of each exchange that the server chooses: what somebody has recorded is of no use for
   * another exchange, not even after a restart or at another server with the same keys. The JDK's
   * own memory of exchanges lasts as long as the process.
   */
  private static final String OWN_KEYS = "sun.security.krb5.acceptor.subkey";

  private static final String KRB5_CONF = "java.security.krb5.conf";

  /** The file that the process was started with; null for that of the machine. */
  private static final @Nullable String AT_START = System.getProperty(KRB5_CONF);

  private KerberosProperties() {}

  /**
   * Has the JDK use the file of an accepted configuration from now on, and reads it anew.
   *
   * @param acceptor its acceptor; null if it has none, which is the same as {@link #putBack}
   * @throws IOException if the file cannot be used, with the reason for an administrator; the
   *     former one stays in use then
   */
  public static synchronized void takeOver(@Nullable GssapiAcceptor acceptor) throws IOException {
    if (acceptor == null) {
      putBack();
      return;
    }
    Path wanted = acceptor.settings().krb5Conf();
    String before = System.getProperty(KRB5_CONF);
    String name = wanted == null ? AT_START : wanted.toString();
    // It stays when the acceptor goes: exchanges that it has begun may still run.
    System.setProperty(OWN_KEYS, "true");
    set(name);
    try {
      acceptor.readKerberosAgain();
    } catch (CompletionException | LoginException e) {
      // The JDK keeps what it has read before.
      set(before);
      throw new IOException(
          Objects.requireNonNullElse(name, "the configuration of Kerberos")
              + " cannot be used: "
              + GssapiAcceptor.reason(e),
          e);
    }
  }

  /**
   * Puts the file back that the process was started with. The JDK reads it when an acceptor is
   * taken over next: until then nothing needs it.
   */
  public static synchronized void putBack() {
    set(AT_START);
  }

  private static void set(@Nullable String file) {
    if (file == null) {
      System.clearProperty(KRB5_CONF);
    } else {
      System.setProperty(KRB5_CONF, file);
    }
  }
}
