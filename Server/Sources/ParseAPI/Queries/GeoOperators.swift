import Domain
import Foundation
import OkaeriWire

/// A point on the map, in degrees.
struct GeoPoint: Hashable {
    let latitude: Double
    let longitude: Double

    /// `nil` for what is no point of the earth.
    ///
    /// - Parameter value: An object of the type, or MongoDB's pair, where the longitude comes first.
    init?(_ value: JSONValue?) {
        switch value {
        case .object(let members)? where members["__type"] == "GeoPoint":
            self.init(latitude: members["latitude"], longitude: members["longitude"])
        case .array(let pair)? where pair.count == 2: self.init(latitude: pair[1], longitude: pair[0])
        default: return nil
        }
    }

    private init?(latitude: JSONValue?, longitude: JSONValue?) {
        guard let latitude = GeoOperators.number(latitude), let longitude = GeoOperators.number(longitude),
            latitude.magnitude <= 90, longitude.magnitude <= 180
        else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// How far another point is on the sphere, in radians (haversine).
    func angle(to other: GeoPoint) -> Double {
        let (north, otherNorth) = (latitude * .pi / 180, other.latitude * .pi / 180)
        let rise = sin((otherNorth - north) / 2)
        let turn = sin((other.longitude - longitude) * .pi / 360)
        let half = rise * rise + cos(north) * cos(otherNorth) * turn * turn
        return 2 * asin(min(1, half.squareRoot()))
    }
}

/// All that is within a distance of a point.
struct GeoCircle: Hashable {
    let center: GeoPoint
    /// In radians, at most half the way around the earth.
    let radius: Double

    init(_ center: GeoPoint, radius: Double?) {
        self.center = center
        self.radius = min(radius ?? .pi, .pi)
    }

    func holds(_ value: JSONValue?) -> Bool { GeoPoint(value).map { center.angle(to: $0) <= radius } ?? false }

    /// Everybody who may be within, as the database finds them: between two latitudes.
    func condition(at path: [String]) -> UserCondition {
        let latitude = UserField.custom(path + ["latitude"])
        // What is on the edge is not lost by rounding.
        let degrees = radius * 180 / .pi + 0.001
        return .all([
            .exists(.custom(path)), .compares(latitude, .greaterOrEqual, .number(center.latitude - degrees)),
            .compares(latitude, .lessOrEqual, .number(center.latitude + degrees)),
        ])
    }
}

/// Positions on a map: `$nearSphere` with a distance, `$within` a box, `$geoWithin` a circle.
enum GeoOperators {
    static let names: Set<String> = ["$nearSphere", "$within", "$geoWithin"]
    /// What stands beside `$nearSphere`, and how many of it are a radian, as the SDKs count.
    static let distances: [String: Double] = [
        "$maxDistance": 1, "$maxDistanceInRadians": 1, "$maxDistanceInKilometers": 6371, "$maxDistanceInMiles": 3958.8,
    ]

    /// - Parameters:
    ///   - name: The operator.
    ///   - members: All that is asked of the field.
    ///   - field: What is asked of.
    /// - Returns: what the database is asked.
    /// - Throws: 107 for a wrong form, 119 for a polygon.
    static func formula(
        _ name: String, _ members: [String: JSONValue], on field: UserField
    ) throws(ParseFault) -> SearchFormula {
        let malformed = ParseFault(107, "bad \(name) value")
        guard case .custom(let path) = field else { throw malformed }
        guard name != "$nearSphere" else {
            guard let center = GeoPoint(members[name]) else { throw malformed }
            return .near(path, GeoCircle(center, radius: try radius(beside: members)))
        }
        guard case .object(let shape)? = members[name] else { throw malformed }
        if name == "$geoWithin", shape["$polygon"] != nil { throw WhereClause.notOffered("$polygon") }
        guard case .array(let parts)? = shape[name == "$within" ? "$box" : "$centerSphere"], parts.count == 2,
            let first = GeoPoint(parts[0])
        else { throw malformed }
        if name == "$within" {
            guard let northeast = GeoPoint(parts[1]) else { throw malformed }
            return .database(box(from: first, to: northeast, at: path))
        }
        guard let radius = number(parts[1]), radius >= 0 else { throw malformed }
        return .near(path, GeoCircle(first, radius: radius))
    }

    /// As the original has it, a box does not go around the back of the earth.
    private static func box(from southwest: GeoPoint, to northeast: GeoPoint, at path: [String]) -> UserCondition {
        let (latitude, longitude) = (UserField.custom(path + ["latitude"]), UserField.custom(path + ["longitude"]))
        return .all([
            .exists(.custom(path)), .compares(latitude, .greaterOrEqual, .number(southwest.latitude)),
            .compares(latitude, .lessOrEqual, .number(northeast.latitude)),
            .compares(longitude, .greaterOrEqual, .number(southwest.longitude)),
            .compares(longitude, .lessOrEqual, .number(northeast.longitude)),
        ])
    }

    /// The distance that stands beside `$nearSphere`, in radians; `nil` for any.
    private static func radius(beside members: [String: JSONValue]) throws(ParseFault) -> Double? {
        for (name, radian) in distances.sorted(by: { $0.key < $1.key }) {
            guard let value = members[name] else { continue }
            guard let distance = number(value), distance >= 0 else { throw ParseFault(107, "bad \(name) value") }
            return distance / radian
        }
        return nil
    }

    static func number(_ value: JSONValue?) -> Double? {
        switch value {
        case .integer(let number)?: Double(number)
        case .number(let number)?: number
        default: nil
        }
    }
}

/// The order of a question about who is near: the nearest first, unless it asks for another.
struct NearestFirst {
    private let path: [String]
    private let center: GeoPoint

    /// `nil` for a question that does not ask who is near.
    ///
    /// - Parameter condition: A `where`.
    init?(_ condition: JSONValue) {
        guard case .object(let members) = condition else { return nil }
        var asked: (name: String, center: GeoPoint)?
        for (name, value) in members.sorted(by: { $0.key > $1.key }) {
            guard case .object(let operators) = value, let center = GeoPoint(operators["$nearSphere"]) else { continue }
            asked = (name, center)
        }
        guard let asked else { return nil }
        path = asked.name.pieces(at: ".").map(String.init)
        center = asked.center
    }

    /// How far a user is; `nil` for one without a position.
    func angle(to user: User) -> Double? { GeoPoint(user.value(at: path)).map { center.angle(to: $0) } }
}
