package org.nyala.blind;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Random choices of names, attributes and values of two directories: the same seed makes the same.
 *
 * <p>Confined to one thread.
 */
final class Lot {
  static final List<String> SEEN =
      List.of("cn", "sn", "uid", "mail", "title", "telephoneNumber", "description", "manager");

  static final List<String> SHUT =
      List.of(
          "employeeNumber",
          "homePhone",
          "pager",
          "cn;lang-de",
          "userPassword",
          "businessCategory",
          "pwdHistory",
          "pwdFailureTime",
          "pwdAccountLockedTime",
          "pwdChangedTime",
          "pwdReset",
          "pwdPolicySubentry");

  /** Attributes that are computed, or that servers write. */
  static final List<String> MADE =
      List.of(
          "memberOf",
          "entryDN",
          "hasSubordinates",
          "numSubordinates",
          "subschemaSubentry",
          "structuralObjectClass",
          "governingStructureRule",
          "contextCSN",
          "entryTtl",
          "entryExpireTimestamp",
          "entryUUID",
          "entryCSN",
          "createTimestamp",
          "modifyTimestamp",
          "creatorsName",
          "modifiersName");

  static final List<String> OTHERS =
      List.of(
          "member",
          "owner",
          "objectClass",
          "name",
          "distinguishedName",
          "cn;lang-fr",
          "sn;lang-de",
          "ou",
          "l",
          "dc",
          "ref",
          "aliasedObjectName",
          "pwdAttribute",
          "authPassword",
          "noSuchAttribute",
          "supportedControl",
          "subtreeSpecification");

  private static final List<List<String>> ATTRIBUTES = List.of(SEEN, SHUT, MADE, OTHERS);

  final Random random;
  private final Values values;

  Lot(Random random, Values values) {
    this.random = random;
    this.values = values;
  }

  <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  /** Returns true once in some times. */
  boolean once(int in) {
    return random.nextInt(in) == 0;
  }

  <T> List<T> some(int most, Supplier<T> each) {
    return Stream.generate(each).limit(random.nextInt(most + 1)).toList();
  }

  String attribute() {
    return pick(pick(ATTRIBUTES));
  }

  /** Returns the attributes to ask for. */
  List<String> selection() {
    return switch (random.nextInt(6)) {
      case 0 -> List.of();
      case 1 -> List.of("*", "+");
      case 2 -> List.of("1.1");
      case 3 -> List.of(pick(List.of("*", "+", "@inetOrgPerson", "@device")), attribute());
      default -> {
        List<String> names = new ArrayList<>(some(4, this::attribute));
        names.add(attribute());
        yield names;
      }
    };
  }

  /** Returns a name, as likely one that is seen as one that is not, in some case. */
  String name() {
    String name =
        switch (random.nextInt(10)) {
          case 0 -> pick(Names.ABSENT);
          case 1 -> pick(Names.SPECIAL);
          case 2, 3, 4 -> pick(Names.HIDDEN);
          default -> seenName();
        };
    return once(5) ? name.toUpperCase(Locale.ROOT) : once(5) ? name.replace(",", " , ") : name;
  }

  String seenName() {
    return pick(
        pick(
            List.of(
                Names.TOPS,
                Names.TOPS,
                Names.PERSONS,
                Names.PERSONS,
                Names.GROUP_NAMES,
                Names.DESK_NAMES,
                Names.LINK_NAMES,
                List.of(Names.LINKS, Names.TRAY, Names.PINNED))));
  }

  /** Returns a value that some entry has, one that none has, or a part of one. */
  String value(String attribute) {
    if (once(12)) {
      return "none " + random.nextInt(3);
    }
    List<String> of = values.of(attribute);
    String value = of.isEmpty() ? name() : pick(of);
    return once(6) ? value.toUpperCase(Locale.ROOT) : value;
  }
}
