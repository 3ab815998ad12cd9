package org.nyala.cli.store;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.core.filter.Membership;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.lmdb.export.LdifExport;

/**
 * The attributes that an export leaves out or computes.
 *
 * <p>Immutable.
 *
 * @param leftOut the types that are left out, computed or not
 * @param membership the rules by which memberOf is computed instead of stored; null if it is data
 *     like others
 */
record ExportedAttributes(Set<AttributeType> leftOut, @Nullable Membership membership) {
  private static final String OBJECT_CLASS_OID = "2.5.4.0";

  /**
   * Reads the options.
   *
   * @param memberOf the wanted form of memberOf; null for the default
   * @param except the attributes to leave out
   * @throws CommandException if an attribute does not exist, or nothing is computed
   */
  static ExportedAttributes of(
      NyalaConfig configuration,
      Schema schema,
      ExportCommand.@Nullable MemberOf memberOf,
      List<String> except) {
    Set<AttributeType> leftOut = new HashSet<>();
    for (String name : except) {
      AttributeType type = schema.attributeType(name.strip());
      if (type == null || type.oid().equals(OBJECT_CLASS_OID)) {
        throw new CommandException(
            ExitCode.USAGE,
            "--except: "
                + (type == null ? "the schema has no attribute type " : "no entry is without ")
                + ErrorMessages.printable(name));
      }
      leftOut.add(type);
    }
    Membership membership =
        NeededIndexes.rules(configuration, schema, Optional.empty()).membership();
    if (membership == null && memberOf == ExportCommand.MemberOf.computed) {
      throw new CommandException(
          ExitCode.USAGE, "--member-of computed: memberOf.enabled is not set");
    }
    AttributeType type =
        membership == null ? AttributeProviders.memberships(schema) : membership.memberOf();
    boolean isLeftOut =
        membership == null
            ? memberOf == ExportCommand.MemberOf.none
            : memberOf != ExportCommand.MemberOf.computed;
    if (isLeftOut && type != null) {
      leftOut.add(type);
    }
    return new ExportedAttributes(leftOut, membership);
  }

  /** Sets an export up. */
  LdifExport applyTo(LdifExport export) {
    LdifExport without = export.without(leftOut);
    return membership == null ? without : without.computing(membership);
  }
}
