package org.nyala.server;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;

/** A server with persons and a place for groups that is hidden from them. */
abstract class HiddenPlaceTestCase {
  static final String TOP = "dc=example,dc=com";
  static final String CLOSED = "ou=closed," + TOP;
  static final String ANN = "uid=ann," + TOP;

  @TempDir Path folder;

  RunningServer server;
  LDAPConnection root;
  LDAPConnection ann;

  /**
   * Starts the server.
   *
   * @param more rules behind those for passwords and the hidden place
   * @param persons names, each with the password pw, and a description for all
   */
  final void serve(String more, List<String> persons) throws Exception {
    String rules =
        """
        to attributes userPassword
          anonymous may authenticate
        to subtree "%s"
          all may nothing
        %s\
        """
            .formatted(CLOSED, more);
    Path file = Files.writeString(folder.resolve("access.rules"), rules);
    server =
        LocalServer.start(folder, "access.rules = \"%s\"\nmemberOf.enabled = true".formatted(file));
    root = LocalServer.connectAsRoot(server);
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add("dn: " + CLOSED, "objectClass: organizationalUnit");
    for (String name : persons) {
      root.add(
          "dn: " + name,
          "objectClass: inetOrgPerson",
          "cn: x",
          "sn: x",
          "description: for g7",
          "userPassword: pw");
    }
  }

  @AfterEach
  final void stop() {
    ann.close();
    root.close();
    server.close();
  }
}
