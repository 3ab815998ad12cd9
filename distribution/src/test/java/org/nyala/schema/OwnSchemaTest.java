package org.nyala.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** An administrator's schema in a folder of its own, from the check to what clients find. */
class OwnSchemaTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String DOMAIN = "dn: " + TOP + "\nobjectClass: domain\ndc: example\n\n";

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();
  private Path own;

  @BeforeEach
  void createFolder() throws IOException {
    own = Files.createDirectory(folder.resolve("own"));
  }

  private Path configure(String lines) throws Exception {
    return ServerProcess.configure(folder, "data = \"%s/data\"\n%s".formatted(folder, lines));
  }

  private Path withOwn(String more) throws Exception {
    return configure("schema { folders = [\"" + own + "\"]\n" + more + " }");
  }

  private void load(Path configuration, String ldif) throws IOException {
    Path file = Files.writeString(folder.resolve("a.ldif"), DOMAIN + ldif);
    nyala.shouldSucceed(configuration, "import", file.toString());
    nyala.shouldSucceed(configuration, "verify");
  }

  private List<String> found(LDAPConnection connection, String filter) throws Exception {
    return connection.search(TOP, SearchScope.SUB, filter, "1.1").getSearchEntries().stream()
        .map(SearchResultEntry::getDN)
        .toList();
  }

  @Test
  void shouldLoadRfc2307bisInsteadOfTheFileWithTheSameIdentifiers() throws Exception {
    try (InputStream stream = OwnSchemaTest.class.getResourceAsStream("rfc2307bis.schema")) {
      Files.copy(Objects.requireNonNull(stream), own.resolve("rfc2307bis.schema"));
    }
    assertThat(nyala.run(withOwn(""), "config", "check")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err())
        .contains("'memberUid' differs from nis.schema:", "in EQUALITY, SUBSTR, SYNTAX: ")
        .hasLineCount(1);

    Path configuration = withOwn("without = [nis]");
    nyala.shouldSucceed(configuration, "config", "check");
    assertThat(nyala.out())
        .contains(
            "schema: nis.schema is left out\n",
            "'uidNumber' is ignored: the server's own in system.schema:",
            "they differ in ORDERING\n");
    load(
        configuration,
        """
        dn: cn=staff,dc=example,dc=com
        objectClass: groupOfNames
        objectClass: posixGroup
        cn: staff
        gidNumber: 100
        member: uid=ann,dc=example,dc=com
        memberUid: ann

        dn: cn=empty,dc=example,dc=com
        objectClass: groupOfMembers
        objectClass: posixGroup
        cn: empty
        gidNumber: 101

        dn: automountMapName=auto.home,dc=example,dc=com
        objectClass: automountMap
        automountMapName: auto.home

        dn: automountKey=*,automountMapName=auto.home,dc=example,dc=com
        objectClass: automount
        automountKey: *
        automountInformation: nfs:/home/&
        """);
    try (RunningServer server = LocalServer.startFrom(configuration, folder);
        LDAPConnection connection = LocalServer.connectAsRoot(server)) {
      assertThat(found(connection, "(&(objectClass=posixGroup)(gidNumber=100)(memberUid=ann))"))
          .containsExactly("cn=staff," + TOP);
      assertThat(found(connection, "(objectClass=groupOfMembers)"))
          .containsExactly("cn=empty," + TOP);
      assertThat(found(connection, "(automountInformation=nfs:*)")).hasSize(1);
      connection.add(
          "dn: cn=new," + TOP,
          "objectClass: groupOfMembers",
          "objectClass: posixGroup",
          "cn: new",
          "gidNumber: 102",
          "member: cn=staff," + TOP);
    }
  }

  private static Handler listener(List<String> lines) {
    return new Handler() {
      @Override
      public void publish(LogRecord each) {
        lines.add(new SimpleFormatter().formatMessage(each));
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Test
  void shouldServeAnOwnDefinitionInThePlaceOfAShippedOne() throws Exception {
    Files.writeString(
        own.resolve("acme.schema"),
        """
        attributetype ( 1.3.6.1.4.1.55555.1.9 NAME 'sshPublicKey' DESC 'a key'
          EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
        attributetype ( 1.3.6.1.1.1.1.4 NAME 'loginShell' DESC 'as shipped'
          EQUALITY caseExactIA5Match SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )
        """);
    assertThat(nyala.run(withOwn(""), "config", "check")).isEqualTo(ExitCode.USAGE);
    assertThat(nyala.err())
        .contains(
            own.resolve("acme.schema")
                + ":1: 1.3.6.1.4.1.55555.1.9 'sshPublicKey' differs from"
                + " nyala.schema:",
            ": 1.3.6.1.4.1.24552.500.1.1.1.13 'sshPublicKey' in OID, EQUALITY, SYNTAX: remove one"
                + " of the two, or set schema.replace = [\"sshPublicKey\"] to use the first\n");

    Path configuration = withOwn("replace = [sshPublicKey, gecos]");
    nyala.shouldSucceed(configuration, "config", "check");
    assertThat(nyala.out())
        .contains(
            "schema: "
                + own.resolve("acme.schema")
                + ":1: 1.3.6.1.4.1.55555.1.9 'sshPublicKey'"
                + " replaces nyala.schema:",
            "schema: nyala.schema.replace: 'gecos' replaces nothing")
        .doesNotContain("loginShell");
    // Announced replacements are told by the check and at a start, and not by each command.
    List<String> logged = new CopyOnWriteArrayList<>();
    Handler listener = listener(logged);
    Logger root = Logger.getLogger("");
    root.addHandler(listener);
    load(
        configuration,
        """
        dn: uid=ann,dc=example,dc=com
        objectClass: account
        objectClass: ldapPublicKey
        uid: ann
        sshPublicKey: ssh-ed25519 AAAA
        """);
    assertThat(logged).noneMatch(line -> line.startsWith("schema: "));
    Path relative = configure("schema { folders = [own], replace = [\"1.3.6.1.4.1.55555.1.9\"] }");
    try (RunningServer server = LocalServer.startFrom(relative, folder);
        LDAPConnection connection = LocalServer.connectAsRoot(server)) {
      assertThat(found(connection, "(sshPublicKey=ssh-ed25519 AAAA)"))
          .containsExactly("uid=ann," + TOP);
      assertThat(logged).anyMatch(line -> line.startsWith("schema: ") && line.contains("sshPub"));
      root.removeHandler(listener);
      assertThat(found(connection, "(sshPublicKey=SSH-ed25519 aaaa)")).isEmpty();
    }
  }
}
