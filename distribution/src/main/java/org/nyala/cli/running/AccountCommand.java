package org.nyala.cli.running;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.AccountsMXBean;
import org.nyala.management.bean.AccountsMXBean.Account;
import org.nyala.management.bean.AccountsMXBean.Found;
import org.nyala.management.bean.LocalManagement;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nyala account}. */
@Command(
    name = "account",
    description = {
      "Shows, changes and lists accounts by their password policies, in the server of the data"
          + " directory.",
      "A change is on disk when the command ends; modifiersName and modifyTimestamp of the entry"
          + " stay as they are.",
      "Must be run as the server's user, or with --jmx as the user of management.jmxAdmin."
    })
public final class AccountCommand extends DataCommand {
  private static final int DEFAULT_DAYS = 14;
  private static final int DEFAULT_NAMES = 1000;
  private static final int DEFAULT_SECONDS = 60;

  enum Action {
    show,
    lock,
    unlock,
    expire,
    reset,
    list
  }

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description = {
        "show: the state of accounts.",
        "lock: nobody logs in until the account is unlocked.",
        "unlock: locks and wrong passwords are forgotten; an account that was not used for too long"
            + " counts as used now.",
        "expire: the password has expired; needs a policy with pwdMaxAge.",
        "reset: the user has to change the password before anything else; needs a policy with"
            + " pwdMustChange.",
        "list: the names of accounts of a kind, in the order of the store."
      })
  private Action action = Action.show;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "DN|KIND",
      description = {
        "The entries of the accounts.",
        "With list: locked (for another reason than disuse), expiring (within --days), expired,"
            + " idle (no login and no new password for --days), or reset."
      })
  private List<String> names = List.of();

  @Option(
      names = "--days",
      paramLabel = "N",
      description = "With list expiring and idle: the days. Default: 14.")
  private @Nullable Integer days;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "With list: the maximum number of names, 1 to 5000. Default: 1000.")
  private @Nullable Integer limit;

  @Option(
      names = "--time-limit",
      paramLabel = "SECONDS",
      description = "With list: how long it may take, 1 to 600. Default: 60.")
  private @Nullable Integer seconds;

  @Option(names = "--json", description = "Print one JSON object; the manual names its members.")
  private boolean json;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Override
  public Integer call() {
    requireSense();
    try (LocalManagement server = remote.connect().orElseGet(this::connect)) {
      return action == Action.list ? list(server.accounts()) : change(server.accounts());
    } catch (UndeclaredThrowableException e) {
      throw CommandException.failed("the server has ended, or does not know accounts");
    } catch (IllegalArgumentException e) {
      throw CommandException.usage(ErrorMessages.line(e));
    }
  }

  private void requireSense() {
    if (action != Action.list) {
      if (days != null || limit != null || seconds != null) {
        throw wrongUsage("--days, --limit and --time-limit are options of list");
      }
      return;
    }
    if (names.size() != 1) {
      throw wrongUsage("account list: name one kind");
    }
    boolean takesDays = List.of("expiring", "idle").contains(names.getFirst());
    if (days != null && !takesDays) {
      throw wrongUsage("--days is an option of list expiring and list idle");
    }
  }

  private static int or(@Nullable Integer given, int otherwise) {
    return given == null ? otherwise : given;
  }

  private int list(AccountsMXBean accounts) {
    Found found =
        accounts.list(
            names.getFirst(),
            or(days, DEFAULT_DAYS),
            or(limit, DEFAULT_NAMES),
            or(seconds, DEFAULT_SECONDS));
    print(json, () -> AccountReport.json(found), found::names);
    if (found.more()) {
      err().println("nyala: there are more: raise --limit");
    }
    if (!found.complete()) {
      throw CommandException.failed("not all accounts were looked at in time: raise --time-limit");
    }
    return ExitCode.OK;
  }

  /** Does what is wanted to each account; what fails with one harms no other. */
  private int change(AccountsMXBean accounts) {
    List<Account> done = new ArrayList<>();
    int exitCode = ExitCode.OK;
    for (String name : names) {
      try {
        done.add(
            action == Action.show
                ? accounts.show(name)
                : accounts.change(action.name(), name, caller()));
      } catch (IllegalStateException e) {
        err().println("nyala: " + ErrorMessages.line(e));
        exitCode = ExitCode.FAILED;
      }
    }
    AccountReport report = new AccountReport(done);
    print(json, report::json, action == Action.show ? report::lines : report::states);
    return exitCode;
  }

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
          lines.add(
              "grace logins     " + each.graceUses() + " used, " + each.graceLeft() + " left");
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
}
