package org.nyala.visibility;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.provider.AttributeProviders.Kind;
import org.nyala.core.provider.AttributeProviders.Use;
import org.nyala.core.provider.ComputedAttribute;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/**
 * An attribute of the table, an entry that has it, and a naive model of what clients find out about
 * it.
 *
 * @param type the attribute
 * @param provider its declaration
 * @param target the entry
 * @param values the values; null for those that root is shown
 * @param hidden values that root alone sees
 * @param other a value that the entry does not have
 */
record AskedAttribute(
    AttributeType type,
    AttributeProviders.Provider provider,
    String target,
    List<String> values,
    List<String> hidden,
    String other) {
  static final String TOP = "dc=example,dc=com";
  static final String ANN = "uid=ann," + TOP;
  static final String OPEN = "cn=open," + TOP;
  static final String CLOSED = "ou=closed," + TOP;
  static final String HIDDEN = "cn=hidden," + CLOSED;
  static final String POLICY = "cn=policy," + TOP;
  static final String HASH = "{SSHA}+dVMWWRpVYFJRn0RFZGBgRbAw0P4kDbwzWfZZA==";

  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final AttributeProviders TABLE = AttributeProviders.of(SCHEMA, true, true);

  /** The clients: one without rules, one with the right to the attribute, one without it. */
  enum Client {
    ROOT,
    READER,
    BLIND
  }

  /** Returns every computed attribute. */
  static AskedAttribute of(ComputedAttribute computed) {
    AttributeType type = computed.in(SCHEMA);
    return switch (computed) {
      case ENTRY_DN -> of(type, ANN, List.of(ANN), List.of(), TOP);
      case SUBSCHEMA_SUBENTRY -> of(type, ANN, List.of("cn=Subschema"), List.of(), TOP);
      case HAS_SUBORDINATES -> of(type, ANN, List.of("FALSE"), List.of(), "TRUE");
      case NUM_SUBORDINATES -> of(type, ANN, List.of("0"), List.of(), "7");
      case ENTRY_TTL -> of(type, ANN, null, List.of(), "-1");
      case GOVERNING_STRUCTURE_RULE -> of(type, ANN, List.of(), List.of(), "1");
      case CONTEXT_CSN ->
          of(type, TOP, null, List.of(), "20000101000000.000000Z#000000#000#000000");
      case PASSWORD_POLICY -> of(type, ANN, List.of(POLICY), List.of(), TOP);
      case MEMBER_OF -> of(type, ANN, List.of(OPEN), List.of(HIDDEN), "cn=missing," + CLOSED);
    };
  }

  /** Returns a stored attribute. */
  static AskedAttribute stored(String name, List<String> values, String other) {
    return of(SCHEMA.attributeType(name), ANN, values, List.of(), other);
  }

  private static AskedAttribute of(
      AttributeType type, String target, List<String> values, List<String> hidden, String other) {
    return new AskedAttribute(type, TABLE.of(type), target, values, hidden, other);
  }

  String name() {
    return type.name();
  }

  boolean allows(Use use) {
    return provider.allows(use);
  }

  boolean mayAsk(Client client) {
    return client != Client.BLIND;
  }

  /** Returns the values that a client is shown. */
  Set<String> shown(Client client, LDAPConnection root) throws LDAPException {
    if (!mayAsk(client)) {
      return Set.of();
    }
    if (values == null) {
      SearchResultEntry entry = root.getEntry(target, name());
      return Set.of(entry.getAttributeValues(name()));
    }
    return client == Client.ROOT
        ? Set.copyOf(Stream.concat(values.stream(), hidden.stream()).toList())
        : Set.copyOf(values);
  }

  /** Returns whether items of filters about a value are true or false for a client. */
  boolean isValueTested(Client client) {
    return mayAsk(client) && allows(Use.FILTERED);
  }

  /** Returns whether a filter finds the entry by a value that the client is shown. */
  boolean isFound(Client client, boolean isValue) {
    return isValueTested(client) && isValue && provider.kind() != Kind.COMPLETED;
  }

  /** Returns whether items of filters about presence are true or false for a client. */
  boolean isPresenceTested(Client client) {
    boolean isOfAll = client == Client.ROOT || !tellsOfOthers();
    return mayAsk(client) && allows(Use.FILTERED_BY_PRESENCE) && isOfAll;
  }

  /** Returns whether a filter finds the entry by presence. */
  boolean isFoundByPresence(Client client, Set<String> shown) {
    return isPresenceTested(client) && !shown.isEmpty() && provider.kind() != Kind.COMPLETED;
  }

  private boolean tellsOfOthers() {
    ComputedAttribute computed = provider.computed();
    return computed != null && computed.tellsOfOthers();
  }
}
