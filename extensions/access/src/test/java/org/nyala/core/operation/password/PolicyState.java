package org.nyala.core.operation.password;

import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.password.PolicedDirectory.REPLACE;

import java.util.Map;
import org.nyala.core.message.ResultCode;

/** A state of an account. */
enum PolicyState {
  FINE,
  WARNED,
  EXPIRED,
  GRACE,
  GRACE_OVER,
  RESET,
  RESET_AND_EXPIRED,
  LOCKED,
  LOCKED_FOR_EVER,
  NOT_STARTED,
  ENDED,
  IDLE,
  DELAYED;

  static final Map<String, String> POLICY =
      Map.of(
          "pwdMaxAge", "1000",
          "pwdExpireWarning", "100",
          "pwdMaxIdle", "5000",
          "pwdMustChange", "TRUE",
          "pwdLockout", "TRUE",
          "pwdMaxFailure", "3",
          "pwdLockoutDuration", "200");

  /** Returns the answer to a login with the right password. */
  PolicyAnswer login() {
    return switch (this) {
      case FINE -> PolicyAnswer.of(ResultCode.SUCCESS);
      case WARNED -> new PolicyAnswer(ResultCode.SUCCESS, -1, 50, -1);
      case GRACE -> new PolicyAnswer(ResultCode.SUCCESS, -1, -1, 1);
      case RESET, RESET_AND_EXPIRED ->
          PolicyAnswer.of(ResultCode.SUCCESS, PolicyAnswer.CHANGE_AFTER_RESET);
      case EXPIRED, GRACE_OVER ->
          PolicyAnswer.of(ResultCode.INVALID_CREDENTIALS, PolicyAnswer.EXPIRED);
      case LOCKED, LOCKED_FOR_EVER, NOT_STARTED, ENDED, IDLE, DELAYED ->
          PolicyAnswer.of(ResultCode.INVALID_CREDENTIALS);
    };
  }

  /** Returns whether nobody may log in, and no password is looked at. */
  boolean isLocked() {
    return switch (this) {
      case LOCKED, LOCKED_FOR_EVER, NOT_STARTED, ENDED, IDLE, DELAYED -> true;
      default -> false;
    };
  }

  /** Returns whether the password has to be changed before anything else. */
  boolean mustChange() {
    return this == RESET || this == RESET_AND_EXPIRED;
  }

  /**
   * Brings the state of an account about whose password was set just now.
   *
   * @param stored the password as it is stored
   */
  void bringAbout(PolicedDirectory policed, String name, String stored) {
    switch (this) {
      case FINE -> {}
      case WARNED -> policed.now = policed.now.plusSeconds(950);
      case EXPIRED -> policed.now = policed.now.plusSeconds(1001);
      case GRACE -> {
        policed.policy(Map.of("pwdGraceAuthNLimit", "2"));
        policed.now = policed.now.plusSeconds(1001);
      }
      case GRACE_OVER -> {
        policed.policy(Map.of("pwdGraceAuthNLimit", "2", "pwdGraceExpiry", "50"));
        policed.now = policed.now.plusSeconds(1051);
      }
      case RESET, RESET_AND_EXPIRED -> {
        policed.asRoot(name, change(REPLACE, "userPassword", stored));
        policed.now = policed.now.plusSeconds(this == RESET ? 0 : 1001);
      }
      case LOCKED -> fail(policed, name, 3);
      case LOCKED_FOR_EVER ->
          policed.asRoot(name, change(REPLACE, "pwdAccountLockedTime", "000001010000Z"));
      case NOT_STARTED -> policed.asRoot(name, change(REPLACE, "pwdStartTime", "20260131120001Z"));
      case ENDED -> policed.asRoot(name, change(REPLACE, "pwdEndTime", "20260131120000Z"));
      case IDLE -> policed.now = policed.now.plusSeconds(5001);
      case DELAYED -> {
        policed.policy(Map.of("pwdMinDelay", "10", "pwdMaxDelay", "10"));
        fail(policed, name, 1);
      }
    }
  }

  private static void fail(PolicedDirectory policed, String name, int times) {
    for (int i = 0; i < times; i++) {
      policed.bind(policed.directory.open(), name, "wrong");
    }
  }
}
