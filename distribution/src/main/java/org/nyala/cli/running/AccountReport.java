package org.nyala.cli.running;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.nyala.management.bean.AccountsMXBean.Account;
import org.nyala.management.bean.AccountsMXBean.Found;

/**
 * The report of {@code nyala account} on some accounts.
 *
 * <p>Immutable.
 */
record AccountReport(List<Account> accounts) {
  AccountReport {
    accounts = List.copyOf(accounts);
  }

  /** Returns all that is known, line by line. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Account each : accounts) {
      if (!lines.isEmpty()) {
        lines.add("");
      }
      lines.add("account          " + each.name());
      lines.add("policy           " + or(each.policy(), "none"));
      lines.add("state            " + state(each));
      lines.add("wrong passwords  " + failures(each));
      lines.add("password set     " + or(each.passwordChanged(), "not known"));
      lines.add("expires          " + or(each.expires(), "never"));
      if (each.expired()) {
        lines.add("grace logins     " + each.graceUses() + " used, " + each.graceLeft() + " left");
      }
      lines.add("must change      " + (each.mustChange() ? "yes" : "no"));
      lines.add("last login       " + or(each.lastLogin(), "not known"));
    }
    return lines;
  }

  /** Returns a line for each account. */
  List<String> states() {
    return accounts.stream().map(each -> each.name() + ": " + state(each)).toList();
  }

  private static String or(String text, String otherwise) {
    return text.isEmpty() ? otherwise : text;
  }

  private static String failures(Account account) {
    // A lock that was imported, or written by a client, comes without their times.
    boolean isLocked = account.lock().equals("wrong-passwords");
    String number =
        isLocked && account.failures() == 0 ? "not known" : Integer.toString(account.failures());
    String until = account.until().isEmpty() ? "" : " until " + account.until();
    return isLocked ? number + " (locked" + until + ")" : number;
  }

  private static String state(Account account) {
    String lock =
        switch (account.lock()) {
          case "none" -> "";
          case "for-good" -> "locked by an administrator";
          case "not-started" -> "locked, not valid yet";
          case "ended" -> "locked, no longer valid";
          case "wrong-passwords" -> "locked by wrong passwords";
          case "delayed" -> "delayed by a wrong password";
          case "idle" -> "locked because it was not used for too long";
          default -> account.lock();
        };
    if (!lock.isEmpty()) {
      return account.until().isEmpty() ? lock : lock + " until " + account.until();
    }
    if (account.mustChange()) {
      return "usable, but the password must be changed";
    }
    if (!account.expired()) {
      return "usable";
    }
    return account.usable() ? "usable, the password has expired" : "the password has expired";
  }

  /** Returns all that is known as one JSON object. */
  String json() {
    JsonArray all = new JsonArray();
    for (Account each : accounts) {
      JsonObject one = new JsonObject();
      one.addProperty("name", each.name());
      one.addProperty("policy", each.policy());
      one.addProperty("usable", each.usable());
      one.addProperty("lock", each.lock());
      one.addProperty("until", each.until());
      one.addProperty("failures", each.failures());
      one.addProperty("passwordChanged", each.passwordChanged());
      one.addProperty("expires", each.expires());
      one.addProperty("expired", each.expired());
      one.addProperty("graceUses", each.graceUses());
      one.addProperty("graceLeft", each.graceLeft());
      one.addProperty("mustChange", each.mustChange());
      one.addProperty("lastLogin", each.lastLogin());
      all.add(one);
    }
    JsonObject json = new JsonObject();
    json.add("accounts", all);
    return json.toString();
  }

  /** Returns a list of names as one JSON object. */
  static String json(Found found) {
    JsonArray names = new JsonArray();
    found.names().forEach(names::add);
    JsonObject json = new JsonObject();
    json.add("names", names);
    json.addProperty("more", found.more());
    json.addProperty("complete", found.complete());
    return json.toString();
  }
}
