package org.nyala.loadtest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NyalaSetupTest {
  @TempDir private Path home;

  @Test
  void shouldNameTheSettingsThatAreNotTheDefault() throws Exception {
    Files.createDirectory(home.resolve("conf"));
    Files.writeString(home.resolve("conf/nyala.conf"), "password { upgradeAtBind = true }");
    assertThat(new NyalaSetup(home, home, false).settings())
        .startsWith("root = cn=")
        .endsWith("; access.anonymousRead = true; password.upgradeAtBind = false");
    assertThat(new NyalaSetup(home, home, true, List.of("codec = apache")).settings())
        .endsWith("; access.anonymousRead = true; codec = apache");
  }

  @Test
  void shouldTellWhetherLoginsReplaceHashes() throws Exception {
    Files.createDirectory(home.resolve("conf"));
    Path shipped = home.resolve("conf/nyala.conf");
    Files.writeString(shipped, "password { upgradeAtBind = true }");
    String kept = "leave the fast hashes of the people as they are";
    assertThat(new NyalaSetup(home, home, true).logins())
        .startsWith("replace the fast hashes of the people by slow ones (password.upgradeAtBind");
    assertThat(new NyalaSetup(home, home, false).logins()).isEqualTo(kept);
    Files.writeString(shipped, "");
    assertThat(new NyalaSetup(home, home, true).logins()).as("an older one").isEqualTo(kept);
    assertThat(new NyalaSetup(home, home, false).settings()).doesNotContain("upgradeAtBind");
  }
}
