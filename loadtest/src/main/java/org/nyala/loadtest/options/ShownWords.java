package org.nyala.loadtest.options;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;

/** Command lines as reports show them: without passwords. Stateless. */
public final class ShownWords {
  private static final String HIDDEN = "***";
  private static final Set<String> PASSWORDS =
      Set.of("--password", "--person-password", "--new-password");

  private ShownWords() {}

  /** Returns the words of the command that runs. */
  public static String of(CommandSpec command) {
    List<String> all = new ArrayList<>(List.of("nyala-loadtest"));
    all.addAll(command.commandLine().getParseResult().originalArgs());
    return String.join(" ", withoutPasswords(all));
  }

  /** Returns the words of a command line without the passwords. */
  static List<String> withoutPasswords(List<String> words) {
    List<String> shown = new ArrayList<>();
    boolean isNext = false;
    for (String word : words) {
      String option = word.substring(0, Math.max(0, word.indexOf('=')));
      shown.add(isNext ? HIDDEN : PASSWORDS.contains(option) ? option + "=" + HIDDEN : word);
      isNext = PASSWORDS.contains(word);
    }
    return shown;
  }
}
