package org.nyala.cli.running;

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
      throw new CommandException(ExitCode.USAGE, ErrorMessages.line(e));
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
}
