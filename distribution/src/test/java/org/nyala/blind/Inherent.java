package org.nyala.blind;

import com.unboundid.ldap.protocol.AddRequestProtocolOp;
import com.unboundid.ldap.protocol.DeleteRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyDNRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyRequestProtocolOp;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Hints of updates at values that rules hide, as the manual lists them in its section "What rules
 * cannot hide": the data could not be kept consistent otherwise. All of it takes rights to change
 * something.
 */
enum Inherent {
  /** A name cannot be given twice. */
  NAME,
  /** A value of an attribute that is unique cannot be given twice. */
  UNIQUE_VALUE,
  /** An entry above others is not deleted, nor a tree of which something may not be deleted. */
  SUBORDINATES,
  /** An entry is not deleted if a group would have no member. */
  LAST_MEMBER,
  /** Values are not removed together if one of them may not be removed. */
  ALL_VALUES,
  /** A value is not added that is there, nor removed that is not, whoever may read it. */
  WRITTEN_UNREAD;

  /** The name of those entries in the directories with values that rules hide among others. */
  private static final Set<String> WITH_HIDDEN_VALUES =
      Set.of("uid=carl," + Names.PEOPLE, "uid=dora," + Names.PEOPLE);

  /** Returns whether a result code tells it. */
  private boolean isToldBy(int code) {
    return switch (this) {
      case NAME -> code == 68;
      case UNIQUE_VALUE -> code == 19;
      case SUBORDINATES -> code == 66 || code == 50 || code == 32;
      case LAST_MEMBER -> code == 65;
      case ALL_VALUES -> code == 50;
      case WRITTEN_UNREAD -> code == 16 || code == 20;
    };
  }

  /**
   * Returns what a request may tell; null if nothing. Such requests are sent so that they change
   * nothing, as the directories would differ afterwards.
   */
  static @Nullable Inherent of(ProtocolOp request) {
    return switch (request) {
      case AddRequestProtocolOp add -> ofAdd(add);
      case DeleteRequestProtocolOp delete -> ofDelete(Names.canonical(delete.getDN()));
      case ModifyDNRequestProtocolOp rename -> isHidden(newName(rename)) ? NAME : null;
      case ModifyRequestProtocolOp modify -> ofModify(modify);
      default -> null;
    };
  }

  private static boolean isHidden(String name) {
    return Names.HIDDEN.contains(Names.canonical(name));
  }

  private static String newName(ModifyDNRequestProtocolOp rename) {
    String name = Names.canonical(rename.getDN());
    String parent = rename.getNewSuperiorDN();
    return rename.getNewRDN()
        + ','
        + (parent == null ? name.substring(name.indexOf(',') + 1) : parent);
  }

  private static @Nullable Inherent ofAdd(AddRequestProtocolOp add) {
    if (isHidden(add.getDN())) {
      return NAME;
    }
    for (Attribute each : add.getAttributes()) {
      if (each.getName().equalsIgnoreCase("pager")) {
        return UNIQUE_VALUE;
      }
    }
    return null;
  }

  private static @Nullable Inherent ofDelete(String name) {
    if (name.equals(Names.PINNED)) {
      return LAST_MEMBER;
    }
    return name.equals(Names.TRAY) || Names.TOPS.contains(name) || name.equals(Names.LINKS)
        ? SUBORDINATES
        : null;
  }

  private static @Nullable Inherent ofModify(ModifyRequestProtocolOp modify) {
    String name = Names.canonical(modify.getDN());
    boolean hasHiddenValues = WITH_HIDDEN_VALUES.contains(name) || Names.GROUP_NAMES.contains(name);
    Inherent told = null;
    for (Modification each : modify.getModifications()) {
      String attribute = each.getAttributeName().toLowerCase(Locale.ROOT);
      boolean removesAll =
          each.getModificationType() == ModificationType.REPLACE
              || each.getModificationType() == ModificationType.DELETE && !each.hasValue();
      if (hasHiddenValues && removesAll && Set.of("mail", "member").contains(attribute)) {
        told = ALL_VALUES;
      } else if (attribute.equals("pager")) {
        told = UNIQUE_VALUE;
      } else if (attribute.equals("userpassword")) {
        told = WRITTEN_UNREAD;
      }
    }
    return told;
  }

  /** Returns whether two codes may differ so: one of them tells it. */
  boolean explains(int first, int second) {
    return first != second && (isToldBy(first) || isToldBy(second));
  }
}
