package org.nyala.config;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.error.ConfigurationException;
import org.nyala.error.Installation;

/** Reads files of access rules that the configuration names. */
class AccessRulesFileTest extends ConfigurationTestCase {
  private static final String RULES = "to all\n  users may read\n";

  private Path file;

  @BeforeEach
  void writeRules() throws IOException {
    file = Files.createDirectory(folder.resolve("conf")).resolve("access.rules");
    Files.writeString(file, RULES);
  }

  private NyalaConfig readWith(String more) throws IOException {
    return read("nyala.access { rules = \"conf/access.rules\", %s }".formatted(more));
  }

  @Test
  void shouldReadTheFile() throws IOException {
    NyalaConfig read = readWith("");
    assertThat(read.accessRules().map(AccessRulesFile::path)).contains(file);
    assertThat(read.access().rules()).isEqualTo(new RulesText("access.rules", RULES));
    assertThat(readWith("delegatedRules = 7").access().rules().delegatedRules()).isEqualTo(7);
    assertThat(read("").accessRules()).isEmpty();
    assertThat(read("").access().rules()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"anonymousRead = false", "writers = []", "selfPasswordChange = true"})
  void shouldRefuseKeysThatRulesReplace(String other) {
    String key = other.substring(0, other.indexOf(' '));
    assertThatThrownBy(() -> readWith("\n" + other))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "%s:2: nyala.access.%s: the rules of access.rules decide instead: write this one into their file (the manual has it as a rule) and remove the key, or remove access.rules",
            folder.resolve("nyala.conf"), key);
  }

  @Test
  void shouldNameTheFault() throws IOException {
    Files.write(file, (RULES + "# \u00e4\n").getBytes(ISO_8859_1));
    assertProblem("access.rules:3: found bytes that are not UTF-8");
    Files.writeString(file, "#".repeat(RulesParser.MAXIMUM_BYTES));
    assertThat(readWith("").access().rules()).isNotNull();
    Files.writeString(file, "#".repeat(RulesParser.MAXIMUM_BYTES + 1));
    assertProblem("access.rules: expected at most 4194304 bytes of access rules");
    Files.delete(file);
    assertProblem(
        folder.resolve("nyala.conf") + ":1: nyala.access.rules: " + file + ": no such file");
  }

  /** Commands that need no rules still run; without the file, rules would give nothing. */
  private void assertProblem(String message) throws IOException {
    NyalaConfig configuration = readWith("");
    assertThat(configuration.access().rules().text()).isEmpty();
    assertThatThrownBy(
            () -> AccountConfiguration.access(configuration, Installation.current().schema()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(message);
  }
}
