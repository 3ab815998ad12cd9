package org.nyala.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;

@Timeout(300)
class ChangesCommandTest {
  private static final String TOP = "dc=example,dc=com";

  @TempDir Path folder;
  private Path configuration;
  private final LocalCommands nyala = new LocalCommands();

  private void change(int port) throws Exception {
    try (LDAPConnection client = new LDAPConnection("127.0.0.1", port, "cn=admin", "admin")) {
      client.add("dn: " + TOP, "objectClass: domain", "dc: example");
      client.add("dn: ou=å," + TOP, "objectClass: organizationalUnit", "ou: å");
      client.add("dn: ou=b,ou=å," + TOP, "objectClass: organizationalUnit", "ou: b");
      client.modifyDN("ou=å," + TOP, "ou=ä", true);
      client.modify("ou=ä," + TOP, new Modification(ModificationType.ADD, "description", "x"));
      client.delete("ou=b,ou=ä," + TOP);
    }
  }

  private List<JsonObject> json(String... options) {
    String[] arguments = new String[options.length + 3];
    arguments[0] = "changes";
    arguments[1] = "--format";
    arguments[2] = "json";
    System.arraycopy(options, 0, arguments, 3, options.length);
    assertThat(nyala.run(configuration, arguments)).as(nyala.err()).isEqualTo(ExitCode.OK);
    return objects(nyala.out());
  }

  private static List<JsonObject> objects(String lines) {
    return lines.lines().map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
  }

  private static String summary(JsonObject change) {
    return change.get("sequence").getAsLong()
        + " "
        + change.get("kind").getAsString()
        + (change.has("movesSubordinates") ? "+ " : " ")
        + (change.has("dn") ? change.get("dn").getAsString() : "-");
  }

  private void serveAndChange() throws Exception {
    configuration = ServerProcess.configure(folder, "serverId = 10");
    try (ServerProcess server = ServerProcess.serve(folder)) {
      change(server.port());
      checkJson();
    }
  }

  private void checkJson() {
    assertThat(json())
        .extracting(ChangesCommandTest::summary)
        .containsExactly(
            "1 add " + TOP,
            "2 add ou=ä," + TOP,
            "3 add -",
            "4 rename+ ou=ä," + TOP,
            "5 modify ou=ä," + TOP,
            "6 delete -");
  }

  @Test
  void shouldPrintChangesBesideAServerAndWithoutOne() throws Exception {
    serveAndChange();
    checkJson();
    List<JsonObject> all = json();
    assertThat(all.get(1).get("entryUUID")).isEqualTo(all.get(3).get("entryUUID"));
    assertThat(all.get(2).get("entryUUID")).isEqualTo(all.get(5).get("entryUUID"));
    assertThat(all)
        .extracting(each -> each.get("csn").getAsString())
        .isSorted()
        .allMatch(csn -> csn.endsWith("#000000#00a#000000"));
    String cookie = all.get(3).get("cookie").getAsString();
    assertThat(cookie).isEqualTo("rid=000,csn=" + all.get(3).get("csn").getAsString());
    assertThat(json("--since", cookie)).isEqualTo(all.subList(4, 6));
    assertThat(json("--since", all.get(5).get("cookie").getAsString())).isEmpty();
  }

  @Test
  void shouldTellWhoHasChangedWhichAttributes() throws Exception {
    configuration = ServerProcess.configure(folder, "serverId = 10, modificationLog.mebibytes = 1");
    try (ServerProcess server = ServerProcess.serve(folder)) {
      change(server.port());
      try (LDAPConnection client =
          new LDAPConnection("127.0.0.1", server.port(), "cn=admin", "admin")) {
        client.add(
            "dn: cn=p," + TOP, "objectClass: person", "cn: p", "sn: p", "userPassword: secret");
      }
      List<JsonObject> all = json();
      assertThat(all.get(4).get("author").getAsString()).isEqualTo("cn=admin");
      assertThat(all.get(4).getAsJsonArray("attributes").toString())
          .contains("\"description\"", "\"modifyTimestamp\"")
          .doesNotContain("objectClass");
      assertThat(all.get(5).has("author")).isFalse();
      assertThat(all.get(6).getAsJsonArray("attributes").toString()).contains("\"userPassword\"");
      assertThat(nyala.out()).doesNotContain("secret", "ARGON2");
      nyala.shouldSucceed(configuration, "changes");
      assertThat(nyala.out())
          .contains("changeAuthor: cn=admin\n", "changedAttribute: description\n")
          .doesNotContain("secret", "ARGON2");
    }
  }

  @Test
  void shouldPrintLdif() throws Exception {
    serveAndChange();
    List<JsonObject> all = json();
    assertThat(nyala.run(configuration, "changes")).isEqualTo(ExitCode.OK);
    String[] records = nyala.out().split("\n\n");
    JsonObject rename = all.get(3);
    assertThat(records)
        .filteredOn(record -> record.contains("changeNumber: 4\n"))
        .containsExactly(
            """
            dn: changeNumber=4,cn=changelog
            objectClass: changeLogEntry
            changeNumber: 4
            changeType: modrdn
            targetDN:: b3U9w6QsZGM9ZXhhbXBsZSxkYz1jb20=
            entryUUID: %s
            entryCSN: %s
            movesSubordinates: TRUE
            syncreplCookie: %s\
            """
                .formatted(
                    rename.get("entryUUID").getAsString(),
                    rename.get("csn").getAsString(),
                    rename.get("cookie").getAsString()));
  }

  @Test
  void shouldRefuseCookiesThatItCannotGoOnFrom() throws Exception {
    serveAndChange();
    assertThat(nyala.run(configuration, "changes", "--since", "tomorrow"))
        .isEqualTo(ExitCode.USAGE);
    String ldif = folder.resolve("back.ldif").toString();
    nyala.shouldSucceed(configuration, "export", "-o", ldif);
    nyala.shouldSucceed(configuration, "import", "--replace", ldif);
    assertThat(json()).isEmpty();
    assertThat(nyala.run(configuration, "changes", "--since", "rid=001"))
        .isEqualTo(ExitCode.TOO_OLD);
    assertThat(nyala.out()).isEmpty();
    assertThat(nyala.err())
        .startsWith("nyala: the journal no longer has the changes since then: it begins after rid=")
        .hasLineCount(1);
  }

  @Test
  void shouldFollowAServerThroughACompaction() throws Exception {
    configuration = ServerProcess.configure(folder, "serverId = 10");
    try (ServerProcess server = ServerProcess.serve(folder);
        LDAPConnection client =
            new LDAPConnection("127.0.0.1", server.port(), "cn=admin", "admin")) {
      client.add("dn: " + TOP, "objectClass: domain", "dc: example");
      LocalCommands following = new LocalCommands();
      FutureTask<Integer> follow =
          new FutureTask<>(
              () -> following.run(configuration, "changes", "--follow", "--format", "json"));
      Thread thread = Thread.ofPlatform().daemon().name("test-follow").start(follow);
      eventually("the first change", () -> following.out().lines().count() == 1);
      client.add("dn: ou=a," + TOP, "objectClass: organizationalUnit", "ou: a");
      eventually("the second change", () -> following.out().lines().count() == 2);
      nyala.shouldSucceed(configuration, "compact");
      client.delete("ou=a," + TOP);
      eventually("the third change", () -> following.out().lines().count() == 3);
      thread.interrupt();
      assertThat(Patience.get(follow)).isEqualTo(ExitCode.OK);
      assertThat(objects(following.out()))
          .extracting(ChangesCommandTest::summary)
          .containsExactly("1 add " + TOP, "2 add ou=a," + TOP, "3 delete -");
    }
  }
}
