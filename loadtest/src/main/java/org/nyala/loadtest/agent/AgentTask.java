package org.nyala.loadtest.agent;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.util.List;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * A test as a coordinator asks for it. Immutable.
 *
 * @param arguments the job and its options, as on a command line
 * @param index the place of the agent, from 0 up
 * @param count the number of agents
 * @param areLoggedIn true if all people have logged in before
 */
record AgentTask(List<String> arguments, int index, int count, boolean areLoggedIn) {
  private static final Gson GSON = new Gson();
  private static final int MOST_AGENTS = 1000;

  /**
   * Reads the text of a message.
   *
   * @throws IllegalArgumentException if it is no test
   */
  static AgentTask of(String text) {
    AgentTask test;
    try {
      test = GSON.fromJson(text, AgentTask.class);
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("the message has no test", e);
    }
    boolean isWhole =
        test != null
            && test.arguments != null
            && !test.arguments.isEmpty()
            && test.arguments.stream().allMatch(argument -> argument != null)
            && test.index >= 0
            && test.index < test.count
            && test.count <= MOST_AGENTS;
    if (!isWhole) {
      throw new IllegalArgumentException("the message has no test");
    }
    return test;
  }

  String text() {
    return GSON.toJson(this);
  }

  /** Returns the share of this agent in a whole test. */
  List<LoadSettings> shares(List<LoadSettings> whole) {
    Share share = new Share(index, count);
    List<LoadSettings> shares = whole.stream().map(share::of).toList();
    for (LoadSettings part : areLoggedIn ? shares : List.<LoadSettings>of()) {
      for (int person = 0; person < part.people().users(); person++) {
        boolean _ = part.people().logins().isFirst(person);
      }
    }
    return shares;
  }
}
