package org.nyala.core.operation;

import static org.nyala.core.operation.DirectoryModel.TOP;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.nyala.core.control.ControlType;
import org.nyala.core.message.Request;
import org.nyala.core.message.Request.Change;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;

/** Makes random updates of a directory that a model follows: the same seed makes the same ones. */
final class RandomUpdates {
  /**
   * An update.
   *
   * @param request the request with these controls
   * @param effect the effect on the model, and its result code
   */
  record Made(
      Function<List<RequestControl>, Request> request,
      Function<DirectoryModel, ResultCode> effect) {}

  private static final int NAMES = 25;
  private final Random random;

  RandomUpdates(Random random) {
    this.random = random;
  }

  Made next(DirectoryModel model) {
    return switch (random.nextInt(10)) {
      case 0, 1, 2 -> add(model);
      case 3, 4, 5, 6 -> modify(model);
      case 7, 8 -> rename(model);
      default -> delete(model);
    };
  }

  private String unit() {
    return "ou=w" + random.nextInt(NAMES);
  }

  private String anyName(DirectoryModel model) {
    if (model.entries.isEmpty() || random.nextInt(20) == 0) {
      return unit() + "," + unit() + "," + TOP;
    }
    List<String> names = new ArrayList<>(model.entries.keySet());
    return names.get(random.nextInt(names.size()));
  }

  private String anyParent(DirectoryModel model) {
    return random.nextInt(4) == 0 ? TOP : anyName(model);
  }

  private Made add(DirectoryModel model) {
    String name = unit() + "," + anyParent(model);
    Map<String, Set<String>> attributes = new TreeMap<>();
    attributes.put("objectClass", Set.of("organizationalUnit", "extensibleObject"));
    attributes.put("ou", Set.of(DirectoryModel.rdnValue(name)));
    for (String attribute : List.of("description", "memberUid", "uidNumber")) {
      if (random.nextBoolean()) {
        attributes.put(attribute, values(attribute));
      }
    }
    List<Request.AttributeValues> given = new ArrayList<>();
    attributes.forEach((attribute, values) -> given.add(given(attribute, values)));
    return new Made(
        controls -> new Request.Add(1, name, given, controls), on -> on.add(name, attributes));
  }

  private static Request.AttributeValues given(String attribute, Set<String> values) {
    return UpdateFixture.values(attribute, values.toArray(String[]::new));
  }

  /**
   * Returns at least one value; of memberUid sometimes so many that they are stored out of line.
   */
  private Set<String> values(String attribute) {
    Set<String> values = new TreeSet<>();
    switch (attribute) {
      case "uidNumber" -> values.add(Integer.toString(random.nextInt(50)));
      case "description" -> values.add("d" + random.nextInt(6));
      default -> {
        for (int i = random.nextInt(3) == 0 ? 30 : 2; i >= 0; i--) {
          values.add("m" + random.nextInt(60));
        }
      }
    }
    return values;
  }

  private Made modify(DirectoryModel model) {
    String name = anyName(model);
    List<Change> changes = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      changes.add(change(model, name));
    }
    boolean isPermissive = random.nextInt(3) == 0;
    return new Made(
        controls -> {
          List<RequestControl> all = new ArrayList<>(controls);
          if (isPermissive) {
            all.add(new RequestControl(ControlType.PERMISSIVE_MODIFY.oid(), true, null));
          }
          return new Request.Modify(1, name, changes, all);
        },
        on -> on.modify(name, changes, isPermissive));
  }

  private Change change(DirectoryModel model, String name) {
    if (random.nextInt(4) == 0) {
      // There is one value at most: it is replaced or incremented.
      return new Change(2 + random.nextInt(2), given("uidNumber", values("uidNumber")));
    }
    String attribute = random.nextBoolean() ? "description" : "memberUid";
    Map<String, Set<String>> stored = model.entries.getOrDefault(name, Map.of());
    int kind = random.nextInt(3);
    Set<String> values = values(attribute);
    if (random.nextInt(3) > 0) {
      // Mostly a change that is possible.
      Set<String> there = stored.getOrDefault(attribute, Set.of());
      values.removeIf(
          value -> kind == 0 ? there.contains(value) : kind == 1 && !there.contains(value));
    }
    boolean isEmpty = values.isEmpty() || kind > 0 && random.nextInt(10) == 0;
    return new Change(
        isEmpty && kind == 0 ? 2 : kind, given(attribute, isEmpty ? Set.of() : values));
  }

  private Made rename(DirectoryModel model) {
    String name = anyName(model);
    String superior = random.nextBoolean() ? DirectoryModel.parent(name) : anyParent(model);
    String rdn = random.nextInt(3) == 0 ? name.substring(0, name.indexOf(',')) : unit();
    boolean deleteOldRdn = random.nextBoolean();
    return new Made(
        controls -> new Request.ModifyDn(1, name, rdn, deleteOldRdn, superior, controls),
        on -> on.rename(name, rdn + "," + superior, deleteOldRdn));
  }

  private Made delete(DirectoryModel model) {
    String name = anyName(model);
    boolean isTree = random.nextInt(4) == 0;
    return new Made(
        controls -> {
          List<RequestControl> all = new ArrayList<>(controls);
          if (isTree) {
            all.add(new RequestControl(ControlType.TREE_DELETE.oid(), true, null));
          }
          return new Request.Delete(1, name, all);
        },
        on -> on.delete(name, isTree));
  }
}
