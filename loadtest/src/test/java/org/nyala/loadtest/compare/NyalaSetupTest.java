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
}
