package org.nyala.attack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Blocks {@code access} of the configuration for an attacked server: no rules, those that are
 * shipped, and rules that cost the most.
 */
final class HostileRules {
  private static final int RULES = 60;

  private HostileRules() {}

  /** Returns a block with one writer, without rules. */
  static String none() {
    return "anonymousRead = true, writers = [\"" + Login.of(Attacks.WRITER).dn() + "\"]";
  }

  /** Returns a block with the rules of the installation. */
  static String shipped(Path home) {
    return ofFile(home.resolve("conf/access.rules"));
  }

  private static String ofFile(Path rules) {
    return "rules = \"" + rules + "\"";
  }

  /**
   * Returns a block with rules that hide attributes, values and entries by filters and large
   * groups, differently for neighbouring entries.
   *
   * @param folder the place for the file of the rules
   */
  static String worst(Path folder) throws IOException {
    StringBuilder rules = new StringBuilder();
    rules.append("people writers = entry \"").append(Login.of(Attacks.WRITER).dn()).append("\"\n");
    rules.append("people many = group \"").append(Login.hostile("huge").dn()).append("\"\n");
    rules
        .append("people nesting = group \"")
        .append(Login.hostile("chain.99").dn())
        .append("\" nested\n\n");
    rules.append("to entry \"\"\n  all may read\n\nto entry \"cn=Subschema\"\n  all may read\n\n");
    rules.append("to attributes userPassword\n  anonymous may authenticate\n  self may write\n\n");
    for (int i = 0; i < RULES; i++) {
      rules.append(
          String.format(
              Locale.ROOT,
              """
              to subtree "%s" where (|(uid=user.*%d)(employeeNumber=%d)) attributes %s
                nesting may read
                writers may manage

              """,
              Login.SUFFIX,
              i % 10,
              i,
              i % 2 == 0 ? "homePhone, mobile" : "description, street"));
    }
    rules.append("to subtree \"").append(Login.SUFFIX).append("\"\n");
    rules.append("  writers may manage\n  many may read\n  all may read\n");
    Path file = folder.resolve("worst.rules");
    Files.writeString(file, rules);
    return ofFile(file);
  }
}
