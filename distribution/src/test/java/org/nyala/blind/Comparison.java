package org.nyala.blind;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.blind.BlindRequests.Asked;

/**
 * The differences between the answers of two servers.
 *
 * <p>Confined to one thread.
 */
final class Comparison {
  private static final String PAGED = "1.2.840.113556.1.4.319";
  private static final String VIEW_RESPONSE = "2.16.840.1.113730.3.4.10";

  private final Twins twins;
  private final List<String> differences = new ArrayList<>();
  private int successes;
  private int entries;

  Comparison(Twins twins) {
    this.twins = twins;
  }

  /** Returns whether two answers are the same to the client. */
  boolean isSame(Asked asked, List<List<byte[]>> answers) {
    List<String> first = comparable(0, answers.get(0));
    if (first.equals(comparable(1, answers.get(1)))) {
      return true;
    }
    return asked.inherent() != null
        && asked.inherent().explains(code(answers.get(0)), code(answers.get(1)));
  }

  private static int code(List<byte[]> answer) {
    return Messages.code(answer.getLast());
  }

  private List<String> comparable(int twin, List<byte[]> answer) {
    List<byte[]> drawn = new ArrayList<>();
    for (byte[] message : answer) {
      if (RawClient.isEnd(message)) {
        add(drawn, cookie(message));
        add(drawn, Messages.generatedPassword(message));
        add(drawn, context(message));
      }
    }
    return Messages.comparable(answer, twins.all().get(twin).known(), drawn);
  }

  private static void add(List<byte[]> drawn, byte @Nullable [] value) {
    if (value != null && value.length > 0) {
      drawn.add(value);
    }
  }

  /** Returns the cookie for the next page; null if there is none. */
  static byte @Nullable [] cookie(byte[] message) {
    byte[] value = Messages.control(message, PAGED);
    return value == null ? null : Messages.within(value)[1].getValue();
  }

  private static byte @Nullable [] context(byte[] message) {
    byte[] value = Messages.control(message, VIEW_RESPONSE);
    return value == null || Messages.within(value).length < 4
        ? null
        : Messages.within(value)[3].getValue();
  }

  /**
   * Compares two answers.
   *
   * @param about the place in the series of requests
   */
  void compare(String about, Asked asked, List<List<byte[]>> answers) {
    if (!answers.get(0).isEmpty() && code(answers.get(0)) == 0) {
      successes++;
      entries += answers.get(0).size() - 1;
    }
    if (!isSame(asked, answers)) {
      differ(about + "\n  " + asked, answers);
    }
  }

  void differ(String about, List<List<byte[]>> answers) {
    List<byte[]> first = new ArrayList<>(answers.get(0));
    List<byte[]> second = new ArrayList<>(answers.get(1));
    while (!first.isEmpty()
        && !second.isEmpty()
        && comparable(0, List.of(first.getFirst()))
            .equals(comparable(1, List.of(second.getFirst())))) {
      first.removeFirst();
      second.removeFirst();
    }
    differences.add(
        about
            + "\n first, after "
            + (answers.get(0).size() - first.size())
            + " messages that are the same:\n"
            + Messages.text(first)
            + " second:\n"
            + Messages.text(second));
  }

  /** Compares what came of a search that goes on. */
  void compareStanding(String about, List<List<byte[]>> answers) {
    entries += answers.get(0).size();
    if (!comparable(0, answers.get(0)).equals(comparable(1, answers.get(1)))) {
      differ(about, answers);
    }
  }

  List<String> differences() {
    return differences;
  }

  /** Returns how many requests were successful on the first server. */
  int successes() {
    return successes;
  }

  /** Returns how many entries and the like came from it. */
  int entries() {
    return entries;
  }
}
