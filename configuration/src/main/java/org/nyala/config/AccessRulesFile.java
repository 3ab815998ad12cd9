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
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;

/**
 * The file of access rules that the configuration names. One that cannot be read is a fault where
 * rules are needed, and no hindrance to commands that need none.
 *
 * <p>Immutable.
 *
 * @param path the file
 * @param text its text; without any rule, which gives nobody anything, if it cannot be read
 * @param fault the reason why it cannot be read; null if it can
 */
public record AccessRulesFile(Path path, RulesText text, @Nullable ConfigurationException fault) {
  /** The full name of the key that names the file. */
  public static final String KEY = "nyala.access.rules";

  private static final String RULES = "rules";

  private static final int MOST_DELEGATED_RULES = 10_000;

  /** The keys that rules replace. */
  private static final List<String> REPLACED =
      List.of("anonymousRead", "writers", "selfPasswordChange");

  /**
   * Returns the file that the configuration names, with its text; that is not parsed, which takes a
   * schema.
   *
   * @param access the section of access rights
   * @throws ConfigurationException if keys that rules replace are set
   */
  static Optional<AccessRulesFile> of(ConfigSection access) {
    int delegated =
        access.integer("delegatedRules", RulesText.DELEGATED_RULES, 0, MOST_DELEGATED_RULES);
    Optional<Path> named = access.path(RULES);
    if (named.isEmpty()) {
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
    Path path = named.get();
    try {
      return Optional.of(new AccessRulesFile(path, read(path).delegating(delegated), null));
    } catch (IOException e) {
      return Optional.of(faulty(path, access.problem(RULES, ErrorMessages.reason(e)), delegated));
    } catch (ConfigurationException e) {
      return Optional.of(faulty(path, e, delegated));
    }
  }

  private static AccessRulesFile faulty(Path path, ConfigurationException fault, int delegated) {
    String name = String.valueOf(path.getFileName());
    return new AccessRulesFile(path, new RulesText(name, "", delegated), fault);
  }

  /**
   * Requires that the file could be read.
   *
   * @throws ConfigurationException if not
   */
  public void requireText() {
    if (fault != null) {
      throw fault;
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
