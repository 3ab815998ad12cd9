package org.nyala.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;

/** The file of access rules that the configuration names. Stateless. */
public final class AccessRulesFile {
  /** The full name of the key that names the file. */
  public static final String KEY = "nyala.access.rules";

  private static final String RULES = "rules";

  /** The keys that rules replace. */
  private static final List<String> REPLACED =
      List.of("anonymousRead", "writers", "selfPasswordChange");

  private AccessRulesFile() {}

  /**
   * Returns the file that the configuration names.
   *
   * @param access the section of access rights
   */
  static Optional<Path> path(ConfigSection access, Path base) {
    return access.text(RULES).map(base::resolve);
  }

  /**
   * Reads the text of the file that the configuration names; it is not parsed, which takes a
   * schema.
   *
   * @param access the section of access rights
   * @throws ConfigurationException if it cannot be read, or keys that rules replace are set
   */
  static Optional<RulesText> read(ConfigSection access, Path base) {
    Optional<Path> file = path(access, base);
    if (file.isEmpty()) {
      return Optional.empty();
    }
    for (String key : REPLACED) {
      if (access.has(key)) {
        throw access.problem(
            key,
            "the rules of access.rules decide instead: write this one into their file (the manual"
                + " has it as a rule) and remove the key, or remove access.rules");
      }
    }
    try {
      return Optional.of(read(file.get()));
    } catch (IOException e) {
      throw access.problem(RULES, ErrorMessages.reason(e));
    }
  }

  /**
   * Reads a file of rules.
   *
   * @throws IOException if it cannot be read
   * @throws ConfigurationException if it is too long or not UTF-8
   */
  public static RulesText read(Path file) throws IOException {
    String name = String.valueOf(file.getFileName());
    byte[] utf8;
    try (InputStream stream = Files.newInputStream(file)) {
      utf8 = stream.readNBytes(RulesParser.MAXIMUM_BYTES + 1);
    }
    if (utf8.length > RulesParser.MAXIMUM_BYTES) {
      throw ConfigurationException.of(
          name, "expected at most " + RulesParser.MAXIMUM_BYTES + " bytes of access rules");
    }
    ByteBuffer bytes = ByteBuffer.wrap(utf8);
    try {
      return new RulesText(name, UTF_8.newDecoder().decode(bytes).toString());
    } catch (CharacterCodingException e) {
      throw ConfigurationException.of(
          name + ":" + line(utf8, bytes.position()), "found bytes that are not UTF-8");
    }
  }

  private static int line(byte[] utf8, int position) {
    int line = 1;
    for (int i = 0; i < position; i++) {
      line += utf8[i] == '\n' ? 1 : 0;
    }
    return line;
  }

  /**
   * Parses rules.
   *
   * @throws ConfigurationException with file, line and column of the first fault, what was found
   *     there and what was expected
   */
  public static AccessRules parse(RulesText text, Schema schema) {
    try {
      return RulesParser.parse(text.file(), text.utf8(), schema);
    } catch (InvalidRulesException e) {
      throw ConfigurationException.placed(ErrorMessages.line(e));
    }
  }
}
