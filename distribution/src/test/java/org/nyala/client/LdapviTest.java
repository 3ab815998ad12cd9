package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.server.RunningServer;

/** Edits entries with Debian's ldapvi, and a program in place of the editor. */
class LdapviTest {
  private static final String TOP = "dc=example,dc=com";
  private static final String ADA = "uid=ada," + TOP;

  /** Replaces a value, deletes one, renames an entry, and adds one, as a person in an editor. */
  private static final String EDITOR =
      """
      #!/bin/sh
      for file; do :; done
      cp "$file" FOLDER/seen.txt
      sed -i -e 's/^telephoneNumber: 1$/telephoneNumber: 2/' -e '/^l: London/d' \\
        -e 's/ uid=bob,/ uid=rob,/' -e 's/^uid: bob/uid: rob/' "$file"
      printf '\\nadd uid=eve,dc=example,dc=com\\nobjectClass: inetOrgPerson\\ncn: Eve\\nsn: E\\n' >>"$file"
      """;

  @TempDir Path folder;

  @Test
  void shouldEditEntries() throws Exception {
    assertThat(Path.of("/usr/bin/ldapvi")).as("needed for this test").isExecutable();
    Path editor =
        Files.writeString(folder.resolve("editor"), EDITOR.replace("FOLDER", folder.toString()));
    Files.setPosixFilePermissions(editor, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (RunningServer server = LocalServer.start(folder, "");
        LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      root.add(
          "dn: " + ADA,
          "objectClass: inetOrgPerson",
          "cn: Ada",
          "sn: L",
          "telephoneNumber: 1",
          "l: London");
      root.add("dn: uid=bob," + TOP, "objectClass: inetOrgPerson", "cn: Bob", "sn: B");
      String before = root.getEntry(ADA, "entryUUID").getAttributeValue("entryUUID");
      Processes.Result edited =
          Processes.run(
                  folder,
                  Map.of(
                      "HOME",
                      folder.toString(),
                      "EDITOR",
                      editor.toString(),
                      "PATH",
                      "/usr/bin:/bin",
                      "TERM",
                      "vt100",
                      "LDAPNOINIT",
                      "1"),
                  // It edits only on a terminal.
                  List.of(
                      "/usr/bin/script",
                      "-qec",
                      "/usr/bin/ldapvi --noquestions --host ldap://127.0.0.1:"
                          + LocalServer.port(server)
                          + " -D cn=admin -w admin -b dc=example,dc=com"
                          + " '(objectClass=inetOrgPerson)'",
                      folder.resolve("screen").toString()))
              .shouldSucceed();
      assertThat(folder.resolve("seen.txt")).as("%s", edited).exists();
      assertThat(Files.readString(folder.resolve("seen.txt")))
          .contains(ADA, "telephoneNumber: 1")
          .doesNotContain("entryUUID");
      SearchResultEntry ada = root.getEntry(ADA, "*", "entryUUID");
      assertThat(ada.getAttributeValue("telephoneNumber")).isEqualTo("2");
      assertThat(ada.hasAttribute("l")).isFalse();
      assertThat(ada.getAttributeValue("entryUUID")).isEqualTo(before);
      assertThat(root.getEntry("uid=bob," + TOP)).isNull();
      assertThat(root.getEntry("uid=rob," + TOP).getAttributeValues("uid")).containsExactly("rob");
      assertThat(root.getEntry("uid=eve," + TOP).getAttributeValue("cn")).isEqualTo("Eve");
    }
  }
}
