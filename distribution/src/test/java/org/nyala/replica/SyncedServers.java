package org.nyala.replica;

import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.nyala.comparison.ServerComparison;
import org.nyala.core.Patience;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Parts that tests of several servers share. */
public final class SyncedServers {
  private SyncedServers() {}

  /** Returns the access of an account, without encryption. */
  public static ProviderAccess access(String url, String dn, String password) {
    return new ProviderAccess(
        ProviderUrl.parse(url),
        new ProviderAccess.Encryption(false, true, null, true, null),
        ProviderLogin.simple(dn, password),
        10_000,
        30_000,
        0);
  }

  static ProviderAccess access(RunningServer server) {
    return access("ldap://127.0.0.1:" + LocalServer.port(server), "cn=admin", "admin");
  }

  /** Returns the configuration of a copy. */
  static String consuming(String url, String dn, String password) {
    return """
    replication { provider = "%s", bind { dn = "%s", password = "%s" }
      retrySeconds = 1, maximumRetrySeconds = 1 }
    """
        .formatted(url, dn, password);
  }

  /** Returns the differences of two servers. */
  static List<String> differences(ProviderAccess one, ProviderAccess other)
      throws LDAPException, IOException {
    List<String> lines = new ArrayList<>();
    new ServerComparison(one, other, SyncSlapd.SUFFIX, List.of(), 1000, lines::add, 60).run();
    return lines;
  }

  /** Waits until two servers hold the same, but for what each computes. */
  static void awaitEqual(ProviderAccess one, ProviderAccess other) throws Exception {
    List<String> last = new ArrayList<>();
    try {
      Patience.eventually(
          "the servers are equal",
          () -> {
            last.clear();
            try {
              last.addAll(differences(one, other));
            } catch (LDAPException e) {
              last.add(e.toString());
            }
            return last.isEmpty();
          });
    } catch (AssertionError e) {
      throw new AssertionError(String.join("\n", last), e);
    }
  }
}
