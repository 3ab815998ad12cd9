package org.nyala.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.operation.UpdateFixture.add;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.OperationFixture;

/** Runs random updates of several clients at once, and compares each with a model. */
final class UpdateStormTest {
  private static final int CLIENTS = 4;
  private static final int OPERATIONS = 400;
  private static final int NAMES = 5;
  private static final long SEED = Seeds.seed();

  @Test
  void shouldDoWhatTheModelSays() throws Exception {
    List<Entry> top =
        new ArrayList<>(
            List.of(OperationFixture.entry(TOP, "objectClass", "domain", "dc", "example")));
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      String base = "cn=client" + i + "," + TOP;
      top.add(OperationFixture.entry(base, "objectClass", "device", "cn", "client" + i));
      clients.add(new Client(base, new Random(SEED + i)));
    }
    try (UpdateFixture directory = new UpdateFixture(top);
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
      directory.operations();
      List<Callable<Void>> work = new ArrayList<>();
      clients.forEach(client -> work.add(() -> client.run(directory)));
      for (Future<Void> future : threads.invokeAll(work)) {
        future.get();
      }
      for (Client client : clients) {
        client.compare(directory);
      }
      assertThat(directory.store.openReads()).isZero();
    }
  }

  /** The expected contents of an entry. */
  private static final class Node {
    final TreeSet<String> names = new TreeSet<>();
    final TreeSet<String> descriptions = new TreeSet<>();
  }

  /** One client and the model of its own subtree, by name. */
  private static final class Client {
    private final String base;
    private final Random random;
    private final Map<String, Node> model = new TreeMap<>();

    Client(String base, Random random) {
      this.base = base;
      this.random = random;
      model.put(base, new Node());
    }

    Void run(UpdateFixture directory) {
      for (int i = 0; i < OPERATIONS; i++) {
        step(directory);
      }
      return null;
    }

    private void step(UpdateFixture directory) {
      switch (random.nextInt(6)) {
        case 0, 1 -> addOne(directory);
        case 2 -> deleteOne(directory);
        case 3, 4 -> modifyOne(directory);
        default -> renameOne(directory);
      }
    }

    private void verify(UpdateFixture directory, Request request, ResultCode expected) {
      assertThat(directory.code(request))
          .as("%s; replay with -Dtest.seed=%d", request, SEED)
          .isEqualTo(expected);
    }

    private String word() {
      return "n" + random.nextInt(NAMES);
    }

    /**
     * Returns a name of the client's subtree: an existing entry, or one below such, which may not
     * exist.
     */
    private String anyName() {
      List<String> names = List.copyOf(model.keySet());
      String name = names.get(random.nextInt(names.size()));
      return random.nextBoolean() && !name.equals(base) ? name : "cn=" + word() + "," + name;
    }

    private static String parent(String name) {
      return name.substring(name.indexOf(',') + 1);
    }

    private boolean hasChildren(String name) {
      return model.keySet().stream().anyMatch(each -> each.endsWith("," + name));
    }

    private void addOne(UpdateFixture directory) {
      String name = random.nextInt(8) == 0 ? "cn=" + word() + "," + anyName() : anyName();
      String description = "d" + random.nextInt(4);
      ResultCode expected =
          model.containsKey(name)
              ? ResultCode.ENTRY_ALREADY_EXISTS
              : model.containsKey(parent(name)) ? ResultCode.SUCCESS : ResultCode.NO_SUCH_OBJECT;
      verify(directory, add(name, "objectClass", "device", "description", description), expected);
      if (expected == ResultCode.SUCCESS) {
        Node node = new Node();
        node.names.add(rdn(name));
        node.descriptions.add(description);
        model.put(name, node);
      }
    }

    private static String rdn(String name) {
      return name.substring("cn=".length(), name.indexOf(','));
    }

    private void deleteOne(UpdateFixture directory) {
      String name = anyName();
      ResultCode expected =
          !model.containsKey(name)
              ? ResultCode.NO_SUCH_OBJECT
              : hasChildren(name) ? ResultCode.NOT_ALLOWED_ON_NON_LEAF : ResultCode.SUCCESS;
      verify(directory, delete(name), expected);
      if (expected == ResultCode.SUCCESS) {
        model.remove(name);
      }
    }

    private void modifyOne(UpdateFixture directory) {
      String name = anyName();
      Node node = model.get(name);
      String value = "d" + random.nextInt(4);
      int kind = random.nextInt(3);
      ResultCode expected = node == null ? ResultCode.NO_SUCH_OBJECT : ResultCode.SUCCESS;
      if (node != null && kind == 0 && node.descriptions.contains(value)) {
        expected = ResultCode.ATTRIBUTE_OR_VALUE_EXISTS;
      } else if (node != null && kind == 1 && !node.descriptions.contains(value)) {
        expected = ResultCode.NO_SUCH_ATTRIBUTE;
      }
      verify(directory, modify(name, change(kind, "description", value)), expected);
      if (expected == ResultCode.SUCCESS) {
        if (kind == 2) {
          node.descriptions.clear();
        }
        if (kind == 1) {
          node.descriptions.remove(value);
        } else {
          node.descriptions.add(value);
        }
      }
    }

    private void renameOne(UpdateFixture directory) {
      String name = anyName();
      String superior = random.nextBoolean() ? parent(name) : anyName();
      boolean deleteOld = random.nextBoolean();
      String newName = "cn=" + word() + "," + superior;
      ResultCode expected = renamed(name, superior, newName);
      verify(
          directory,
          new Request.ModifyDn(
              1, name, newName.substring(0, newName.indexOf(',')), deleteOld, superior, List.of()),
          expected);
      if (expected == ResultCode.SUCCESS) {
        Node node = model.get(name);
        if (deleteOld) {
          node.names.remove(rdn(name));
        }
        node.names.add(rdn(newName));
        Map<String, Node> moved = new TreeMap<>();
        model.forEach((each, kept) -> moved.put(moved(each, name, newName), kept));
        model.clear();
        model.putAll(moved);
      }
    }

    private ResultCode renamed(String name, String superior, String newName) {
      if (superior.equals(name) || superior.endsWith("," + name)) {
        return ResultCode.UNWILLING_TO_PERFORM;
      }
      if (!model.containsKey(name) || !model.containsKey(superior)) {
        return ResultCode.NO_SUCH_OBJECT;
      }
      return model.containsKey(newName) && !newName.equals(name)
          ? ResultCode.ENTRY_ALREADY_EXISTS
          : ResultCode.SUCCESS;
    }

    private static String moved(String each, String name, String newName) {
      if (each.equals(name)) {
        return newName;
      }
      return each.endsWith("," + name)
          ? each.substring(0, each.length() - name.length()) + newName
          : each;
    }

    void compare(UpdateFixture directory) {
      String seed = "replay with -Dtest.seed=" + SEED;
      TreeSet<String> names = new TreeSet<>(directory.names());
      names.removeIf(name -> !name.endsWith(base));
      assertThat(names).as(seed).isEqualTo(new TreeSet<>(model.keySet()));
      model.remove(base);
      model.forEach(
          (name, node) -> {
            Map<String, List<String>> stored = directory.stored(name);
            assertThat(new TreeSet<>(stored.get("cn"))).as(name + seed).isEqualTo(node.names);
            assertThat(new TreeSet<>(stored.getOrDefault("description", List.of())))
                .as(name + seed)
                .isEqualTo(node.descriptions);
          });
    }
  }
}
