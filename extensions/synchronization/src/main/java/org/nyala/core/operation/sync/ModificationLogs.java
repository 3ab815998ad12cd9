package org.nyala.core.operation.sync;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.schema.Schema;

/**
 * The logs of modifications that consumers follow: their names, and those who may read them. If
 * there is one naming context, its log has the name of all; with several, each has its own below
 * that: {@code cn=dc\3Dexample\2Cdc\3Dcom,cn=accesslog}.
 *
 * <p>Immutable.
 *
 * @param base the name of all logs; null if there are none
 * @param readers the identities that may read them, besides root
 */
public record ModificationLogs(@Nullable Dn base, Set<Dn> readers) {
  public static final ModificationLogs NONE = new ModificationLogs(null, Set.of());

  public ModificationLogs {
    readers = Set.copyOf(readers);
  }

  /** Returns whether a name is one of a log, or below one; logs that do not exist count. */
  public boolean isWithin(Dn name) {
    return base != null && name.isWithin(base);
  }

  public boolean mayRead(BoundIdentity identity) {
    boolean isReader = identity.dn().rdnCount() > 0 && readers.contains(identity.dn());
    return identity.isRootOfAll() || isReader;
  }

  /**
   * Returns the naming context of the log that has a name; null if there is none.
   *
   * @param contexts the naming contexts of the directory
   */
  public @Nullable Dn contextOf(Dn name, List<Dn> contexts, Schema schema) {
    Dn top = base;
    if (top == null) {
      return null;
    }
    if (name.equals(top)) {
      return contexts.size() == 1 ? contexts.getFirst() : null;
    }
    if (name.rdnCount() != top.rdnCount() + 1 || !name.isWithin(top)) {
      return null;
    }
    try {
      List<NamingValue> values = DnParser.namingValues(schema, name.rdn(0));
      String text = new String(values.getFirst().value(), StandardCharsets.UTF_8);
      Dn context = DnParser.parse(schema, text);
      boolean isNamed = values.size() == 1 && values.getFirst().type().name().equals("cn");
      return isNamed && contexts.contains(context) ? context : null;
    } catch (InvalidDnException _) {
      return null;
    }
  }
}
