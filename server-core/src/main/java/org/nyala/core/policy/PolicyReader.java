package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
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
  private final Schema schema;
  private final @Nullable Dn defaultPolicy;
  private final AccountAttributes attributes;
  private final PolicyEntries entries = new PolicyEntries();

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
   * @param defaultPolicy the policy of accounts that name none; null for none
   */
  public PolicyReader(Schema schema, @Nullable Dn defaultPolicy) {
    this.schema = schema;
    this.defaultPolicy = defaultPolicy;
    this.attributes = new AccountAttributes(schema);
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
    if (named == null && defaultPolicy == null) {
      return found.state() == AccountState.NEW
          ? Standing.NONE
          : new Standing(PasswordPolicy.NONE, found.state());
    }
    Dn own = named == null ? null : parsed(named);
    PasswordPolicy policy = own == null ? null : entries.find(own, transaction);
    if (policy != null) {
      return new Standing(policy, found.state(), own);
    }
    return byDefault(found.state(), transaction);
  }

  private Standing byDefault(AccountState state, ReadTransaction transaction) {
    Dn name = defaultPolicy;
    PasswordPolicy policy = name == null ? null : entries.find(name, transaction);
    if (policy == null) {
      if (name != null) {
        entries.tellOfMissing(name);
      }
      return new Standing(PasswordPolicy.NONE, state);
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

  /** Returns the value of a time, to the microsecond. */
  public static byte[] value(Instant time) {
    return PolicyTimes.format(time);
  }

  /** Returns the value of a time, to the second. */
  public static byte[] valueInSeconds(Instant time) {
    return PolicyTimes.formatSeconds(time);
  }
}
