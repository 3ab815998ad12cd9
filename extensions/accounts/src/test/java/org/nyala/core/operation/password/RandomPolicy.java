package org.nyala.core.operation.password;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Policies whose numbers are small, so that random accounts reach their bounds. Stateless. */
final class RandomPolicy {
  /** In an order of its own: that of the map within differs from process to process. */
  private static final Map<String, List<String>> CHOICES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("pwdMinAge", List.of("", "", "30")),
              Map.entry("pwdMaxAge", List.of("", "100", "300")),
              Map.entry("pwdInHistory", List.of("", "1", "3")),
              Map.entry("pwdCheckQuality", List.of("", "1", "2")),
              Map.entry("pwdMinLength", List.of("", "5")),
              Map.entry("pwdMaxLength", List.of("", "11")),
              Map.entry("pwdExpireWarning", List.of("", "40")),
              Map.entry("pwdGraceAuthNLimit", List.of("", "1", "3")),
              Map.entry("pwdGraceExpiry", List.of("", "", "60")),
              Map.entry("pwdLockout", List.of("", "FALSE", "TRUE", "TRUE", "TRUE")),
              Map.entry("pwdLockoutDuration", List.of("", "50")),
              Map.entry("pwdMaxFailure", List.of("", "1", "2", "3")),
              Map.entry("pwdFailureCountInterval", List.of("", "20")),
              Map.entry("pwdMustChange", List.of("", "TRUE")),
              Map.entry("pwdAllowUserChange", List.of("", "", "", "FALSE")),
              Map.entry("pwdSafeModify", List.of("", "", "TRUE")),
              Map.entry("pwdMinDelay", List.of("", "", "4")),
              Map.entry("pwdMaxDelay", List.of("", "20")),
              Map.entry("pwdMaxIdle", List.of("", "", "150"))));

  private RandomPolicy() {}

  /** Returns the attributes of a policy, of which those with empty values are absent. */
  static Map<String, String> choose(Random random) {
    Map<String, String> policy = new TreeMap<>();
    CHOICES.forEach((each, values) -> policy.put(each, values.get(random.nextInt(values.size()))));
    return policy;
  }
}
