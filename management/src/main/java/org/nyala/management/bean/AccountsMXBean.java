package org.nyala.management.bean;

import java.util.List;
import java.util.Map;

/** The accounts of users, by their password policies. Thread-safe. */
@Description(
    "The accounts of users, by their password policies: their state, changes of it, and what"
        + " policies have done since the server started.")
public interface AccountsMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Accounts";

  /** The longest that one list may take. */
  int MAXIMUM_SECONDS = 600;

  /** The most names of one list. */
  int MAXIMUM_NAMES = 5000;

  /** The most days. */
  int MAXIMUM_DAYS = 36_500;

  /**
   * The state of an account. Times are in UTC as ISO 8601 writes them, and empty if there are none.
   *
   * @param name the DN of the entry
   * @param policy the DN of its policy; empty for none
   * @param usable true if a right password lets its user in
   * @param lock the reason why nobody logs in: none, for-good, not-started, ended, wrong-passwords,
   *     delayed, idle
   * @param until the time at which that ends by itself
   * @param failures the wrong passwords that have led to the lock, if they have; otherwise those
   *     that count
   * @param passwordChanged the time at which the password was set
   * @param expires the time after which it has expired
   * @param expired true if it has
   * @param graceUses the logins since then
   * @param graceLeft those that are left
   * @param mustChange true if the user is to change it before anything else
   * @param lastLogin the last login on record
   */
  record Account(
      String name,
      String policy,
      boolean usable,
      String lock,
      String until,
      int failures,
      String passwordChanged,
      String expires,
      boolean expired,
      int graceUses,
      int graceLeft,
      boolean mustChange,
      String lastLogin) {}

  /**
   * The accounts that were found.
   *
   * @param names their DNs, in the order of the store
   * @param more true if there are more than were asked for
   * @param complete false if the time was over before all were looked at
   */
  record Found(List<String> names, boolean more, boolean complete) {}

  /** Changes of passwords that a policy has refused. */
  @Description("Changes of passwords that a policy has refused, by reason.")
  Map<String, Long> getPasswordsRefused();

  /**
   * Returns the state of an account.
   *
   * @throws IllegalArgumentException if the name is no DN
   * @throws IllegalStateException if there is no such entry
   */
  @Description("The state of an account.")
  Account show(@Description("The DN of its entry.") String dn);

  /**
   * Locks an account until it is unlocked.
   *
   * @return its state afterwards
   * @throws IllegalArgumentException if the name is no DN
   * @throws IllegalStateException if there is no such entry, or it could not be written
   */
  @Description("Locks an account until it is unlocked; returns its state.")
  default Account lock(@Description("The DN of its entry.") String dn) {
    return change("lock", dn, "");
  }

  /** Unlocks an account; throws as {@link #lock} does. */
  @Description(
      "Unlocks an account: locks, delays and wrong passwords are forgotten, and one that was not"
          + " used for too long counts as used now. Returns its state.")
  default Account unlock(@Description("The DN of its entry.") String dn) {
    return change("unlock", dn, "");
  }

  /** Has a password expire; throws as {@link #lock} does. */
  @Description(
      "Has the password of an account expire by its policy, which needs pwdMaxAge; returns its"
          + " state.")
  default Account expire(@Description("The DN of its entry.") String dn) {
    return change("expire", dn, "");
  }

  /** Demands another password; throws as {@link #lock} does. */
  @Description(
      "Demands that the user of an account changes the password before anything else, by its"
          + " policy, which needs pwdMustChange; returns its state.")
  default Account reset(@Description("The DN of its entry.") String dn) {
    return change("reset", dn, "");
  }

  /**
   * Changes the state of an account as {@link #lock}, {@link #unlock}, {@link #expire} and {@link
   * #reset} do.
   *
   * @param action the name of one of them
   * @param by the user of the machine for whom it is done, for the security log; ignored over the
   *     JMX port, which knows its users
   * @throws IllegalArgumentException if the name is no DN, or there is no such action
   */
  @Description("Locks or unlocks an account, has it expire or be reset, and logs for whom.")
  Account change(
      @Description("One of lock, unlock, expire and reset.") String action,
      @Description("The DN of its entry.") String dn,
      @Description("The user of the machine for whom it is done.") String by);

  /**
   * Finds accounts.
   *
   * @throws IllegalArgumentException if an argument is invalid
   */
  @Description("Finds accounts of a kind, in the order of the store.")
  Found list(
      @Description(
              "One of locked, expiring, expired, idle (no login and no new password for some days)"
                  + " and reset.")
          String kind,
      @Description("For expiring and idle: the days, 0 to 36500.") int days,
      @Description("The maximum number, 1 to 5000.") int most,
      @Description("The maximum duration, 1 to 600 seconds.") int seconds);
}
