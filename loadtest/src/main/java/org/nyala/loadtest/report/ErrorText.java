package org.nyala.loadtest.report;

import java.util.Map;
import java.util.stream.Collectors;
import org.nyala.loadtest.ldap.ResultNames;
import org.nyala.loadtest.result.LoadReport;

/** Counts of errors by kind, as people read them. Stateless. */
public final class ErrorText {
  private ErrorText() {}

  /** The kinds with their numbers: {@code 5 x noSuchObject (32), 1 x lost connection}. */
  public static String of(Map<String, Long> errors) {
    return errors.entrySet().stream()
        .map(each -> each.getValue() + " x " + kind(each.getKey()))
        .collect(Collectors.joining(", "));
  }

  /** One kind: {@code noSuchObject (32)}. */
  static String kind(String key) {
    if (key.startsWith(LoadReport.RESULT_CODE)) {
      return ResultNames.of(Integer.parseInt(key.substring(LoadReport.RESULT_CODE.length())));
    }
    return switch (key) {
      case "wrongAnswer" -> "wrong answer";
      case "malformedAnswer" -> "malformed answer";
      case "connectionLost" -> "lost connection";
      case LoadReport.AGENT_LOST -> "agent whose figures are missing";
      case "interrupted" -> "interrupted by a lost connection";
      case "timedOut" -> "timed out";
      case "notStarted" -> "not started in time";
      case "notReached" -> "not reached before the end";
      default -> key;
    };
  }
}
