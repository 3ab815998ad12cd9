package org.nyala.behaviour;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A file of cases, with the actual results of its commands instead of the expected ones. */
final class BehaviourRecord {
  private final BehaviourScript script;
  private final Map<Integer, BehaviourScript.Outcome> outcomes = new HashMap<>();

  BehaviourRecord(BehaviourScript script) {
    this.script = script;
  }

  void add(BehaviourScript.Step step, BehaviourScript.Outcome outcome) {
    outcomes.put(step.line(), outcome);
  }

  /** Writes the file into a folder. */
  void write(Path folder) throws IOException {
    StringBuilder text = new StringBuilder();
    List<String> lines = script.text().lines().toList();
    String pending = "";
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      boolean isExpectation = line.matches("[=>~]( .*)?");
      if (!pending.isEmpty() && !isExpectation && !line.startsWith("<")) {
        text.append(pending);
        pending = "";
      }
      if (!isExpectation) {
        text.append(line).append('\n');
      }
      BehaviourScript.Outcome outcome = outcomes.get(i + 1);
      if (outcome != null) {
        pending = outcome.toString();
      }
    }
    Files.writeString(folder.resolve(script.name() + ".txt"), text + pending);
  }
}
