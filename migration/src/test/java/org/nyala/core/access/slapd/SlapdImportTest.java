package org.nyala.core.access.slapd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** Compares imported rules with those of a file, construct by construct. */
class SlapdImportTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final Pattern CASE = Pattern.compile("(?m)^== ");

  @TempDir Path folder;

  /**
   * A case of the file.
   *
   * @param name its heading
   * @param input the configuration
   * @param output the rules, and what is not said
   */
  record Case(String name, String input, String output) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() throws IOException {
    try (InputStream in = SlapdImportTest.class.getResourceAsStream("imports.txt")) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return CASE.splitAsStream(text).filter(each -> !each.isBlank()).map(SlapdImportTest::read);
    }
  }

  private static Case read(String text) {
    int name = text.indexOf('\n');
    int output = text.indexOf("-- rules\n");
    return new Case(
        text.substring(0, name), text.substring(name + 1, output), text.substring(output));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void shouldSayTheSame(Case each) throws Exception {
    Path conf = Files.writeString(folder.resolve("slapd.conf"), each.input());

    ImportedRules rules = SlapdImport.read(conf, SCHEMA);

    StringBuilder output = new StringBuilder("-- rules\n" + rules.text() + "-- unsaid\n");
    rules.unsaid().forEach(unsaid -> output.append(unsaid).append('\n'));
    assertThat(output).hasToString(each.output());
  }
}
