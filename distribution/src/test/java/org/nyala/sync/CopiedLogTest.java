package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Follows the log of a server that is itself a copy: its refreshes are in no log. */
@Timeout(300)
class CopiedLogTest {
  private static final String TOP = "dc=example,dc=com";
  private static final int REFRESH_REQUIRED = 4096;

  @TempDir Path folder;

  private RunningServer copy(int provider) throws Exception {
    return LocalServer.start(
        Files.createDirectories(folder.resolve("copy")),
        """
        serverId = 2, modificationLog.mebibytes = 16
        replication { provider = "ldap://127.0.0.1:%d", retrySeconds = 1, maximumRetrySeconds = 1
          bind { dn = "cn=admin", password = "admin" } }
        """
            .formatted(provider));
  }

  private static String contextCsn(LDAPConnection connection) throws LDAPException {
    SearchResultEntry top = connection.getEntry(TOP, "contextCSN");
    return top == null ? "" : String.valueOf(top.getAttributeValue("contextCSN"));
  }

  private static void describe(LDAPConnection connection, String text) throws LDAPException {
    connection.modify(TOP, new Modification(ModificationType.REPLACE, "description", text));
  }

  private static int code(LDAPConnection connection, String cookie) throws LDAPException {
    try {
      return connection
          .search(LogFollower.request(LogFollower.BASE, cookie))
          .getResultCode()
          .intValue();
    } catch (LDAPSearchException e) {
      return e.getResultCode().intValue();
    }
  }

  @Test
  void shouldSendFollowersToTheDirectoryAfterARefresh() throws Exception {
    try (RunningServer provider =
            LocalServer.start(Files.createDirectories(folder.resolve("provider")), "serverId = 1");
        LDAPConnection client = LocalServer.connectAsRoot(provider)) {
      client.add("dn: " + TOP, "objectClass: domain", "dc: example");
      int port = LocalServer.port(provider);
      String before;
      try (RunningServer copy = copy(port);
          LDAPConnection reader = LocalServer.connectAsRoot(copy)) {
        awaitEqual(client, reader);
        describe(client, "while it follows");
        awaitEqual(client, reader);
        before = "rid=001,csn=" + contextCsn(reader);
        assertThat(code(reader, before)).isZero();
      }
      describe(client, "while it is away");
      try (RunningServer copy = copy(port);
          LDAPConnection reader = LocalServer.connectAsRoot(copy)) {
        awaitEqual(client, reader);
        assertThat(code(reader, before)).isEqualTo(REFRESH_REQUIRED);
        String cookie = "rid=001,csn=" + contextCsn(reader);
        describe(client, "in the log");
        awaitEqual(client, reader);
        assertThat(reader.search(LogFollower.request(LogFollower.BASE, cookie)).getSearchEntries())
            .singleElement()
            .satisfies(
                change ->
                    assertThat(change.getAttributeValues("reqMod"))
                        .contains("description:= in the log"));
        assertThat(code(reader, before)).as("a later change").isEqualTo(REFRESH_REQUIRED);
      }
    }
  }

  private static void awaitEqual(LDAPConnection provider, LDAPConnection copy) throws Exception {
    String wanted = contextCsn(provider);
    eventually("the copy has " + wanted, () -> wanted.equals(contextCsn(copy)));
  }
}
