package org.nyala.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.error.ConfigurationException;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Refuses logs that would hide entries, and readers who could be anybody. */
class ModificationLogNamesTest {
  private static final String CONTEXT = "suffixes = [\"dc=example,dc=com\"]\n";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "base = \"cn=log,dc=example,dc=com\"",
        "base = \"dc=com\"",
        "base = \"\"",
        "readers = [\"\"]"
      })
  void shouldRefuse(String log) {
    assertThatThrownBy(
            () ->
                LocalServer.start(
                    folder, CONTEXT + "modificationLog { mebibytes = 1, " + log + " }"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("nyala.modificationLog." + log.substring(0, log.indexOf(' ')));
  }

  @Test
  void shouldBeBesideTheWholeTree() throws Exception {
    try (RunningServer server =
        LocalServer.start(folder, "suffixes = [\"\"], modificationLog.mebibytes = 1")) {
      assertThat(server.listeners()).isNotEmpty();
    }
  }
}
