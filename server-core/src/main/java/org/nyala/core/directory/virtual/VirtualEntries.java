package org.nyala.core.directory.virtual;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.schema.Schema;

/**
 * The entries that no store holds: the root DSE, the subschema subentry, and entries that are
 * created when they are read.
 *
 * <p>Thread-safe.
 */
public final class VirtualEntries {
  private final Function<Set<SaslMechanism>, VirtualEntry> makeRootDse;

  /** The root DSE for each set of mechanisms that connections have. */
  private final Map<Set<SaslMechanism>, VirtualEntry> rootDses = new ConcurrentHashMap<>();

  private final VirtualEntry rootDse;
  private final VirtualEntry subschema;
  private final Dn subschemaDn;
  private final List<Tree> trees;

  /**
   * Further entries, which wide rules let nobody read. Immutable.
   *
   * @param tree the entries
   * @param top the name at their top
   */
  public record Tree(VirtualTree tree, Dn top) {}

  /**
   * Creates the entries of a directory.
   *
   * @param capabilities the abilities that the root DSE names
   * @param suffixes the naming contexts that the root DSE names
   * @param began the time at which the server began, which is the creation time of the subschema
   *     subentry
   * @param changed the time at which the schema was made
   * @param trees the further entries
   */
  public VirtualEntries(
      Schema schema,
      Capabilities capabilities,
      List<Dn> suffixes,
      Instant began,
      Instant changed,
      List<VirtualTree> trees) {
    this.trees = trees.stream().map(each -> new Tree(each, dn(schema, each.top().rdn()))).toList();
    this.subschemaDn = dn(schema, AttributeProviders.SUBSCHEMA_DN);
    this.makeRootDse =
        mechanisms -> VirtualEntry.of(RootDse.of(schema, capabilities, suffixes, mechanisms));
    this.rootDse = makeRootDse.apply(Set.of());
    this.subschema = VirtualEntry.of(SubschemaEntry.of(schema, subschemaDn, began, changed));
  }

  private static Dn dn(Schema schema, String name) {
    try {
      return DnParser.parse(schema, name);
    } catch (InvalidDnException e) {
      throw new IllegalArgumentException("the schema does not know cn", e);
    }
  }

  /** The entry of this name; null if there is none, or one of the tree. */
  public @Nullable VirtualEntry at(Dn name) {
    if (name.rdnCount() == 0) {
      return rootDse;
    }
    return name.rdnCount() == 1 && name.equals(subschemaDn) ? subschema : null;
  }

  /**
   * The root DSE as a connection sees it.
   *
   * @param mechanisms the mechanisms of SASL that work on the connection
   */
  public VirtualEntry rootDse(Set<SaslMechanism> mechanisms) {
    return mechanisms.isEmpty() ? rootDse : rootDses.computeIfAbsent(mechanisms, makeRootDse);
  }

  /** Returns whether the entry is the root DSE, which lists the abilities of the server. */
  public boolean isRootDse(VirtualEntry entry) {
    return entry == rootDse || rootDses.containsValue(entry);
  }

  /** Returns the name of the subschema subentry. */
  public Dn subschema() {
    return subschemaDn;
  }

  /** Returns whether the name is that of the subschema subentry. */
  public boolean isSubschema(Dn name) {
    return name.equals(subschemaDn);
  }

  /**
   * Returns the tree in which a name is, whether an entry has it or not; null if it is in none.
   * Root sees these entries, and others as far as rules let them that name a place there.
   */
  public @Nullable Tree tree(Dn name) {
    for (int i = 0; i < trees.size(); i++) {
      if (name.isWithin(trees.get(i).top())) {
        return trees.get(i);
      }
    }
    return null;
  }

  /** Returns whether the name is that of an entry in a tree, existing or not. */
  public boolean isInTree(Dn name) {
    return tree(name) != null;
  }
}
