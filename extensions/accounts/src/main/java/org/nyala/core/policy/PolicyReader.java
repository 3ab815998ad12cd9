package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.PolicySettings;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.Schema;

/**
 * Reads policies and the state of accounts from entries.
 *
 * <p>Thread-safe. A lock that cannot be understood holds.
 */
public final class PolicyReader {
  /** The attribute by which an entry names its policy. */
  public static final String NAMES_POLICY = "pwdPolicySubentry";

  private final Schema schema;
  private final @Nullable Dn defaultPolicy;
  private final PolicyChoice choice;
  private final AccountAttributes attributes;
  private final PolicyEntries entries;

  /**
   * The policy of an account, and its state.
   *
   * @param policy the policy
   * @param state the state
   * @param name the name of the policy; null if there is none
   */
  public record Standing(PasswordPolicy policy, AccountState state, @Nullable Dn name) {
    /** The standing of an account about which nothing is known. */
    public static final Standing NONE = new Standing(PasswordPolicy.NONE, AccountState.NEW);

    /** The standing by a policy without a name. */
    public Standing(PasswordPolicy policy, AccountState state) {
      this(policy, state, null);
    }
  }

  /**
   * Creates a reader.
   *
   * @param stores finds the store of a name; null if there is none
   * @throws IllegalArgumentException if a rule that chooses policies has a filter that is none
   */
  public PolicyReader(
      Schema schema, PolicySettings settings, Function<Dn, @Nullable Backend> stores) {
    this.schema = schema;
    this.entries = new PolicyEntries(schema, stores);
    this.defaultPolicy = settings.byDefault();
    this.choice = new PolicyChoice(schema, settings.rules());
    this.attributes = new AccountAttributes(schema);
  }

  /** Returns the reader of a directory that has accounts. */
  public static PolicyReader of(OperationContext directory) {
    return AccountServices.of(directory).policies();
  }

  /**
   * Reads the standing of an account.
   *
   * @param entry the view of its entry
   * @param transaction the state that is read
   */
  public Standing read(EntryView entry, ReadTransaction transaction) {
    return read(entry, transaction.attributes(), transaction);
  }

  /**
   * Reads the standing of an account that a store may not hold yet.
   *
   * @param entry the view of its entry
   * @param table the attributes of the view
   * @param transaction the state in which its policy is found
   */
  public Standing read(EntryView entry, AttributeTable table, ReadTransaction transaction) {
    AccountAttributes.Found found = attributes.read(entry, table);
    byte[] named = found.policy();
    if (named == null && defaultPolicy == null && choice.isEmpty()) {
      return found.state() == AccountState.NEW
          ? Standing.NONE
          : new Standing(PasswordPolicy.NONE, found.state());
    }
    Dn own = named == null ? null : parsed(named);
    PasswordPolicy policy = own == null ? null : entries.find(own, entry, transaction);
    if (policy != null) {
      return new Standing(policy, found.state(), own);
    }
    Standing chosen =
        choice.isEmpty()
            ? null
            : choice.find(
                entry,
                table,
                transaction,
                name -> standing(name, found.state(), entry, transaction));
    if (chosen != null) {
      return chosen;
    }
    return byDefault(found.state(), entry, transaction);
  }

  /** Returns whether entries that name no policy may have one. */
  public boolean choosesPolicies() {
    return defaultPolicy != null || !choice.isEmpty();
  }

  private Standing byDefault(AccountState state, EntryView entry, ReadTransaction transaction) {
    Dn name = defaultPolicy;
    Standing found = name == null ? null : standing(name, state, entry, transaction);
    return found == null ? new Standing(PasswordPolicy.NONE, state) : found;
  }

  /** Returns the standing by a policy that the configuration names; null if it is missing. */
  private @Nullable Standing standing(
      Dn name, AccountState state, EntryView entry, ReadTransaction transaction) {
    PasswordPolicy policy = entries.find(name, entry, transaction);
    if (policy == null) {
      entries.tellOfMissing(name);
      return null;
    }
    return new Standing(policy, state, name);
  }

  private @Nullable Dn parsed(byte[] value) {
    try {
      return DnParser.parse(schema, new String(value, UTF_8));
    } catch (InvalidDnException _) {
      return null;
    }
  }

  /**
   * Returns whether a store has a policy of a name.
   *
   * @param transaction the state that is read
   */
  public static boolean isPolicy(Dn name, ReadTransaction transaction) {
    return PolicyEntries.read(name, transaction) != null;
  }

  /** Returns the time that a value is; null if it is none. */
  public static @Nullable Instant time(byte[] value) {
    return PolicyTimes.parse(value);
  }

  /** Returns the value of a time, to the microsecond. */
  public static byte[] value(Instant time) {
    return PolicyTimes.format(time);
  }

  /** Returns the value of a time, to the second. */
  public static byte[] valueInSeconds(Instant time) {
    return PolicyTimes.formatSeconds(time);
  }
}
